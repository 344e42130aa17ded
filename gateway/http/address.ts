import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { groupsOf, mappedTo } from '../../platform/access/networks.ts';

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
    const peer = request.socket.remoteAddress ?? 'unknown';
    if (trustedProxies === 0) return peer;
    const forwarded = request.headers['x-forwarded-for'];
    const hops = typeof forwarded === 'string' ? forwarded.split(',').map((hop) => hop.trim()) : [];
    const seen = hops.at(-trustedProxies) ?? hops[0];
    return seen !== undefined && isIP(seen) > 0 ? seen : peer;
}

/** Cuts an IPv6 address to its /64, because one subscriber gets a whole /64. An IPv4-mapped address becomes IPv4. */
export function networkOf(address: string): string {
    if (isIP(address) !== 6) return address;
    const groups = groupsOf(address.split('%', 1)[0] as string); // the URL parser accepts no zone
    const network = groups.slice(0, 4).map((group) => group.toString(16));
    return mappedTo(groups) ?? `${network.join(':')}::/64`;
}
