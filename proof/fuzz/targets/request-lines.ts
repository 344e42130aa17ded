import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { isIP, SocketAddress } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { bearerToken } from '../../../gateway/admission/authenticator.ts';
import { networkOf } from '../../../gateway/http/address.ts';
import { checkHeaders } from '../../../gateway/http/exchange.ts';
import { parseQuery, REPEATED } from '../../../gateway/http/query.ts';
import { originForm, routable } from '../../../gateway/http/target.ts';
import { readTraceparent } from '../../../platform/telemetry/span.ts';
import { attempt, target } from '../parsers/target.ts';

/** Text of a request line or of header fields as Node's parser passes it on: bytes as Latin-1. */
const latin1 = (input: Buffer): string => input.toString('latin1');

const ESCAPES = [
    '%',
    '%00',
    '%2F',
    '%c3%a9',
    '%C3',
    '%ff',
    '%ED%A0%80',
    '%F0%9F%98%80',
    '%zz',
    '%25',
    '+',
    '&',
    '=',
    '&&',
    '?',
    '#',
    '&a=1',
];

const MAX_PARAMETERS = 100;

function isDecodable(text: string): boolean {
    // URLSearchParams and Buffer never throw, so check that every `%` begins an escape and that the bytes are UTF-8.
    if (/%(?![0-9a-f]{2})/i.test(text)) return false;
    const runs = text.match(/(?:%[0-9a-f]{2})+/gi) ?? [];
    return runs.every(
        (run) =>
            !new TextDecoder().decode(Buffer.from(run.replaceAll('%', ''), 'hex')).includes('\ufffd') ||
            /%ef%bf%bd/i.test(run),
    );
}

/** A query must be read as URLSearchParams reads it, except that broken escapes and too many parameters are refused. */
export const query = target({
    name: 'query',
    seeds: [
        '/v1/list?limit=10&cursor=abc',
        '/?a=b&a=c&=&&x',
        '/v1/did/x?derive=true&p=%C3%A9+b',
        '/v1/wallets/w/credentials?password=a%20b',
    ],
    dictionary: ESCAPES,
    parse: (input) => attempt(() => parseQuery(latin1(input))),
    check(input, { value, refused }) {
        const [, text = ''] = /\?(.*)$/s.exec(latin1(input)) ?? [];
        const expected = new URLSearchParams(text.startsWith('?') ? `&${text}` : text);
        const pieces = text.split('&').filter((piece) => piece !== '');
        const decodable = pieces.every((piece) => piece.split('=').every(isDecodable));
        if (refused !== undefined)
            return assert.ok(!decodable || text.split('&').length > MAX_PARAMETERS, `refused: ${refused}`);
        assert.ok(decodable, 'a broken escape is accepted');
        const names = [...new Set(expected.keys())];
        assert.ok(isDeepStrictEqual(Object.keys(value ?? {}).sort(), names.sort()), 'other names');
        for (const name of names) {
            const [first, ...others] = expected.getAll(name);
            assert.equal(value?.[name], others.length > 0 ? REPEATED : first, name);
        }
    },
});

/** Every target must become one that can be routed: it begins with a slash, and its path decodes. */
export const requestTarget = target({
    name: 'request-target',
    seeds: [
        '/v1/did/did%3Akey%3Az6Mk?x=1',
        'http://host:1/v1/me?a',
        'HTTPS://a@b/%',
        '*',
        '/v1/%E0%A4%A?%',
        '//host/x',
        'x:1',
    ],
    dictionary: [...ESCAPES, 'http://', 'https://', '//', '/../', '*', '@', ':'],
    parse: (input) => {
        const origin = originForm(latin1(input));
        return { origin, routed: routable(origin) };
    },
    check(_input, { origin, routed }) {
        assert.ok(origin.startsWith('/') || origin === '*');
        const [path = ''] = routed.url.split('?', 1);
        decodeURIComponent(path);
        const [sent = ''] = origin.split('?', 1);
        assert.equal(routed.malformed, !isDecodable(sent), sent);
        if (!routed.malformed) assert.equal(routed.url, origin);
        assert.equal(routed.url.slice(path.length), origin.slice(sent.length));
    },
});

/** RFC 6750: the scheme in any case, at least one blank, the token. */
export const authorization = target({
    name: 'authorization',
    seeds: ['Bearer cred_test_abc', 'bearer  x', 'BEARER a b', 'Basic YTpi', 'Bearer', 'Bearer v4.public.AAAA'],
    dictionary: ['Bearer ', 'bearer', ' ', '\t', ',', 'Bearer Bearer '],
    // bearerToken reads only the header fields.
    parse: (input) => bearerToken({ headers: { authorization: latin1(input).trim() } } as IncomingMessage),
    check(input, token) {
        const text = latin1(input).trim();
        if (/[\n\r]/.test(text)) return; // a header field cannot contain line breaks
        const isBearer = text.slice(0, 7).toLowerCase() === 'bearer ';
        const rest = text.slice(7).replace(/^ +/, '');
        assert.equal(token, isBearer && rest !== '' ? rest : undefined);
    },
});

const FIELD = '\n';

/** Header fields, one per line. The check may throw nothing except a refusal. */
export const headerFields = target({
    name: 'header-fields',
    seeds: [
        'Host: a.example:80\nAuthorization: Bearer x',
        'host: [::1]\nHost: b',
        'Transfer-Encoding: chunked\nHost: x',
        `${'a: b\n'.repeat(101)}`,
    ],
    dictionary: [
        'Host: ',
        'Authorization: ',
        'Transfer-Encoding: ',
        'chunked',
        'gzip, chunked',
        FIELD,
        ': ',
        '@',
        '[',
        ']',
    ],
    parse(input) {
        const fields = latin1(input)
            .split(FIELD)
            .map((line) => line.split(': ', 2));
        const named = (name: string) => fields.find(([field]) => field?.toLowerCase() === name)?.[1];
        const headers = { host: named('host'), 'transfer-encoding': named('transfer-encoding') };
        const rawHeaders = fields.flatMap(([name = '', value = '']) => [name, value]);
        // checkHeaders reads only these members.
        const request = { rawHeaders, headers, httpVersion: '1.1' } as unknown as IncomingMessage;
        const outcome = attempt(() => attempt(() => checkHeaders(request)), 'headers_too_large');
        return {
            outcome,
            hosts: fields.filter(([name]) => name?.toLowerCase() === 'host').length,
            count: fields.length,
        };
    },
    check(_input, { outcome, hosts, count }) {
        if (count > 100) return assert.ok(outcome.refused !== undefined, 'more than 100 fields pass');
        if (hosts !== 1) assert.ok(outcome.value?.refused !== undefined, `${hosts} Host fields pass`);
    },
});

/** An IPv4 address counts as itself, an IPv6 address as its /64. Any other text comes back unchanged. */
export const address = target({
    name: 'address',
    seeds: [
        '127.0.0.1',
        '::1',
        '::ffff:10.0.0.1',
        'fe80::1%eth0',
        '2001:db8:0:0:1::',
        '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
        '64:ff9b::1.2.3.4',
        '::ffff:0:1.2.3.4',
    ],
    dictionary: ['::', ':', '.', '%', 'ffff', '0', '255', 'fe80::', '/64'],
    maxBytes: 256,
    parse: (input) => networkOf(latin1(input)),
    check(input, network) {
        const text = latin1(input);
        if (isIP(text) !== 6) return assert.equal(network, text);
        const { address: canonical } = new SocketAddress({ address: text.split('%', 1)[0] ?? '', family: 'ipv6' });
        assert.match(network, /^(?:(?:[0-9a-f]{1,4}:){4}:\/64|\d+(?:\.\d+){3})$/);
        assert.equal(isIP(network.replace('/64', '')) > 0, true);
        assert.equal(networkOf(canonical), network, 'two spellings of one address have different networks');
    },
});

/** A `traceparent` is accepted only in the exact form of the W3C recommendation. */
export const traceparent = target({
    name: 'traceparent',
    seeds: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-0', ''],
    dictionary: ['00', '-', 'ff', '0af7651916cd43dd8448eb211c80319c'],
    parse: (input) => readTraceparent(latin1(input)),
    check(input, value) {
        const parts = latin1(input).split('-');
        const sizes = [2, 32, 16, 2];
        const good =
            parts.length === 4 && parts.every((part, at) => part.length === sizes[at] && !/[^0-9a-f]/.test(part));
        assert.equal(value, good ? latin1(input) : undefined);
    },
});
