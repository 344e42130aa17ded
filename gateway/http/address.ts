import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The client's address in the form of networkOf: the address of the TCP peer or, behind `trustedProxies` proxies, the
 * address that the outermost proxy saw.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
    const peer = request.socket.remoteAddress ?? 'unknown';
    if (trustedProxies === 0) return networkOf(peer);
    const forwarded = request.headers['x-forwarded-for'];
    const hops = typeof forwarded === 'string' ? forwarded.split(',').map((hop) => hop.trim()) : [];
    const seen = hops.at(-trustedProxies) ?? hops[0];
    return networkOf(seen !== undefined && isIP(seen) > 0 ? seen : peer);
}

/** Cuts an IPv6 address to its /64, because one subscriber gets a whole /64. An IPv4-mapped address becomes IPv4. */
export function networkOf(address: string): string {
    if (isIP(address) !== 6) return address;
    const groups = groupsOf(address);
    const isIpv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
    if (isIpv4)
        return groups
            .slice(6)
            .flatMap((group) => [group >> 8, group & 0xff])
            .join('.');
    return `${groups
        .slice(0, 4)
        .map((group) => group.toString(16))
        .join(':')}::/64`;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
    // The URL parser normalises the address: lower case, and an IPv4 tail in hexadecimal. It does not accept a zone.
    const { hostname } = new URL(`http://[${address.split('%', 1)[0]}]`);
    const [head = [], tail = []] = hostname
        .slice(1, -1)
        .split('::')
        .map((half) => half.split(':').filter((group) => group !== ''));
    const zeros = Array<string>(8 - head.length - tail.length).fill('0');
    return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
