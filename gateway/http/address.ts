import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The client's address: that of the TCP peer or, behind `trusted_proxies` proxies, the one that the outermost proxy
 * saw. An IPv6 address is cut to its /64, which is what one subscriber gets. An IPv4 address inside IPv6 counts as
 * IPv4.
 */
export function clientAddress(request: IncomingMessage, trusted_proxies: number): string {
    const peer = request.socket.remoteAddress ?? 'unknown';
    if (trusted_proxies === 0) return networkOf(peer);
    const forwarded = request.headers['x-forwarded-for'];
    const hops = typeof forwarded === 'string' ? forwarded.split(',').map((hop) => hop.trim()) : [];
    const seen = hops.at(-trusted_proxies) ?? hops[0];
    return networkOf(seen !== undefined && isIP(seen) > 0 ? seen : peer);
}

export function networkOf(address: string): string {
    if (isIP(address) !== 6) return address;
    const groups = groupsOf(address);
    const is_ipv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
    if (is_ipv4)
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
    // The URL parser has normalised it: lower case, no zone, and an IPv4 tail in hexadecimal too.
    const { hostname } = new URL(`http://[${address.split('%', 1)[0]}]`);
    const [head = [], tail = []] = hostname
        .slice(1, -1)
        .split('::')
        .map((half) => half.split(':').filter((group) => group !== ''));
    const zeros = Array<string>(8 - head.length - tail.length).fill('0');
    return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
