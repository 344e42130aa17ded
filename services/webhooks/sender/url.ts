import { isIP } from 'node:net';
import { invalid } from '../../../platform/errors.ts';
import type { Reachable } from './addresses.ts';

/** Maximum length of the URL of a webhook, in characters. Beyond it: `invalid`. */
const MAX_WEBHOOK_URL_LENGTH = 2_048;
/** The least port other than 443. Those below it belong to services of a system, which understand parts of a request. */
const FIRST_FREE_PORT = 1_024;
/** A name that DNS can have (RFC 1035, 2.3.4). */
const DNS_NAME = /^(?=.{1,254}$)[^.]{1,63}(?:\.[^.]{1,63})*\.?$/;
/** Names of this host (RFC 6761, 6.3). */
const OWN_NAME = /(?:^|\.)localhost\.?$/;

/**
 * Returns the URL of a webhook in the form of the WHATWG parser, in which `https://0x7f.1` is `https://127.0.0.1/`.
 * Throws AppError `invalid` if nothing can ever be delivered to it. Where the name of a host leads is judged when the
 * socket connects (lookup.ts).
 */
export function requireWebhookUrl(text: string, isReachable: Reachable): URL {
    const url = text.length <= MAX_WEBHOOK_URL_LENGTH ? URL.parse(text) : undefined;
    if (url === undefined || (url?.href.length ?? 0) > MAX_WEBHOOK_URL_LENGTH)
        throw invalid(`url must have at most ${MAX_WEBHOOK_URL_LENGTH} characters, with what is encoded in it.`);
    if (url === null) throw invalid('url must be a URL, such as https://example.com/hooks.');
    if (url.protocol !== 'https:') throw invalid('url must begin with https://.');
    if (url.username !== '' || url.password !== '') throw invalid('url must not have a user name or a password.');
    if (url.port !== '' && Number(url.port) < FIRST_FREE_PORT)
        throw invalid(`url must have the port 443 or one from ${FIRST_FREE_PORT} on.`);
    refuseHost(hostOf(url), isReachable);
    return url;
}

/** The host of a URL, without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
    return hostname.replace(/^\[|\]$/g, '');
}

function refuseHost(host: string, isReachable: Reachable): void {
    const address = OWN_NAME.test(host) ? '127.0.0.1' : host;
    if (isIP(address) !== 0 ? !isReachable(address) : !DNS_NAME.test(address))
        throw invalid('url must have a host with a public address, such as example.com.');
}
