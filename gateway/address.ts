import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The client's address: the peer's, or, behind `trusted_proxies` of them, the one that the outermost of these saw. IPv6 is
 * cut to its /64, which is what one subscriber gets; IPv4 in IPv6 counts as IPv4.
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
    if (address.startsWith('::ffff:') && isIP(address.slice(7)) === 4) return address.slice(7);
    if (isIP(address) !== 6) return address;
    const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
    const first = head === '' ? [] : head.split(':');
    const last = tail === undefined || tail === '' ? [] : tail.split(':');
    const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
    const groups = [...first, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...last];
    return `${groups
        .slice(0, 4)
        .map((group) => Number.parseInt(group, 16).toString(16))
        .join(':')}::/64`;
}
