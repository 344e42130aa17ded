import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { groupsOf, mappedTo } from '../../platform/access/networks.ts';

/**
 * Stands for an address that cannot be read. No network contains it, and all calls that have it share one bucket and one
 * guard, which are not those of a proxy.
 */
export const UNKNOWN = 'unknown';

/** Where a request comes from. */
export interface Client {
    /** The IP address as the connection or the proxy states it, or `unknown`. */
    ip: string;
    /** The address in the form of networkOf, by which calls are counted. */
    address: string;
}

/** The TCP peer or, behind `trustedProxies` proxies, the client that the outermost proxy saw. */
export function clientOf(request: IncomingMessage, trustedProxies: number): Client {
    const ip = ipOf(request, trustedProxies);
    return { ip, address: networkOf(ip) };
}

function ipOf(request: IncomingMessage, trustedProxies: number): string {
    const peer = request.socket.remoteAddress ?? UNKNOWN;
    if (trustedProxies === 0) return peer;
    const forwarded = request.headers['x-forwarded-for'];
    if (typeof forwarded !== 'string') return peer; // the call came from inside, past the proxies
    const hops = forwarded.split(',');
    return addressIn((hops.at(-trustedProxies) ?? hops[0] ?? '').trim());
}

/** An IPv4 address with a port, or an IPv6 address in brackets, with or without a port. */
const WITH_PORT = /^(?:([\d.]{7,15}):\d{1,5}|\[([^\]]{2,64})\](?::\d{1,5})?)$/;

/** The address in an entry of `X-Forwarded-For`; some proxies add the port. UNKNOWN if the entry has none. */
function addressIn(entry: string): string {
    const [, v4, v6] = WITH_PORT.exec(entry) ?? [];
    const address = v4 ?? v6 ?? entry;
    const isRight = v6 === undefined ? isIP(address) > 0 : isIP(address) === 6;
    return isRight ? address : UNKNOWN;
}

/** Cuts an IPv6 address to its /64, because one subscriber gets a whole /64. An IPv4-mapped address becomes IPv4. */
export function networkOf(address: string): string {
    if (isIP(address) !== 6) return address;
    const groups = groupsOf(address.split('%', 1)[0] as string); // the URL parser accepts no zone
    const network = groups.slice(0, 4).map((group) => group.toString(16));
    return mappedTo(groups) ?? `${network.join(':')}::/64`;
}
