import { BlockList, isIP } from 'node:net';

type Family = 'ipv4' | 'ipv6';

interface Network {
    address: string;
    prefix: number;
    family: Family;
}

const CIDR = /^([\da-fA-F:.]{2,45})\/(0|[1-9]\d{0,2})$/;

/**
 * Returns a network in CIDR notation in its only form: lower case, zeros shortened (RFC 5952). Undefined for any other
 * text, for an address with bits beyond the prefix, and for IPv4-mapped IPv6 (`::ffff:0:0/96`), which is to be written
 * as IPv4.
 */
export function readNetwork(text: string): string | undefined {
    const network = parseNetwork(text);
    if (!network) return undefined;
    const { address, prefix, family } = network;
    const groups = family === 'ipv4' ? bytesOf(address) : groupsOf(address);
    const width = family === 'ipv4' ? 8 : 16;
    if (prefix > groups.length * width || hasHostBits(groups, width, prefix)) return undefined;
    if (family === 'ipv4') return text;
    return mappedTo(groups) === undefined ? `${shortened(address)}/${prefix}` : undefined;
}

/** Decides whether an address is in one of these networks, which readNetwork has returned. */
export function networkList(networks: readonly string[]): (address: string) => boolean {
    // A list for each family, because BlockList finds every IPv4 address in ::/0.
    const lists: Record<Family, BlockList> = { ipv4: new BlockList(), ipv6: new BlockList() };
    for (const text of networks) {
        const network = parseNetwork(text);
        if (network) lists[network.family].addSubnet(network.address, network.prefix, network.family);
    }
    return (address) => {
        const plain = unmapped(address);
        const version = isIP(plain);
        return version !== 0 && lists[version === 4 ? 'ipv4' : 'ipv6'].check(plain, version === 4 ? 'ipv4' : 'ipv6');
    };
}

/** The address without a zone, and IPv4-mapped IPv6 as IPv4. A text that is no address is returned unchanged. */
export function unmapped(address: string): string {
    const [plain = ''] = address.split('%', 1);
    return isIP(plain) === 6 ? (mappedTo(groupsOf(plain)) ?? plain) : plain;
}

/** The eight groups of an IPv6 address without a zone. */
export function groupsOf(address: string): number[] {
    const [head = [], tail = []] = shortened(address)
        .split('::')
        .map((half) => half.split(':').filter((group) => group !== ''));
    const zeros = Array<string>(8 - head.length - tail.length).fill('0');
    return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

/** The IPv4 address to which these groups of an IPv6 address are mapped, if they are. */
export function mappedTo(groups: readonly number[]): string | undefined {
    if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return undefined;
    return groups
        .slice(6)
        .flatMap((group) => [group >> 8, group & 0xff])
        .join('.');
}

/** The URL parser normalises an IPv6 address: lower case, zeros shortened, an IPv4 tail in hexadecimal. */
function shortened(address: string): string {
    return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function bytesOf(address: string): number[] {
    return address.split('.').map(Number);
}

function parseNetwork(text: string): Network | undefined {
    const [, address = '', prefix = ''] = CIDR.exec(text) ?? [];
    const version = isIP(address);
    return version === 0 ? undefined : { address, prefix: Number(prefix), family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** True if a bit after the first `prefix` bits is set. Each group has `width` bits. */
function hasHostBits(groups: readonly number[], width: number, prefix: number): boolean {
    return groups.some((group, index) => {
        const kept = Math.min(Math.max(prefix - index * width, 0), width);
        return (group & ((1 << (width - kept)) - 1)) !== 0;
    });
}
