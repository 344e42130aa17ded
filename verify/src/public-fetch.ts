import type { Fetch } from './fetched-lists.ts';

interface Address {
    address: string;
    family: number;
}
type Found = (error: Error | null, address?: string | Address[], family?: number) => void;
type Lookup = (host: string, options: { all?: boolean }, found: Found) => void;

/** An answer of node:https, which is a stream. */
interface Incoming {
    statusCode: number;
    destroy(): void;
}

/** What is used of Node. The package also runs in browsers, so it imports nothing of Node, and has no types of it. */
interface NodeModules {
    'node:dns': { lookup(host: string, options: object, found: (error: Error | null, all?: Address[]) => void): void };
    'node:https': {
        get(
            url: URL,
            options: object,
            answered: (incoming: Incoming) => void,
        ): { on(event: 'error', failed: (error: Error) => void): void };
    };
    'node:net': {
        isIP(text: string): number;
        BlockList: new () => {
            addSubnet(network: string, prefix: number, family: 'ipv4' | 'ipv6'): void;
            check(address: string, family: 'ipv4' | 'ipv6'): boolean;
        };
    };
    'node:stream': { Readable: { toWeb(incoming: Incoming): ReadableStream<Uint8Array> } };
}

type Builtin = <Name extends keyof NodeModules>(name: Name) => NodeModules[Name];

/**
 * Networks that are not public: private, loopback, link-local, shared (CGNAT), for documentation, tests, protocols and
 * groups (the registries of IANA for special purposes). Of IPv6 only 2000::/3 is public; addresses outside of it may
 * also stand for one of IPv4, and so may those of 2001::/23 and 2002::/16.
 */
const NOT_PUBLIC = {
    ipv4: '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
    ipv6: '::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20',
} as const;

/** The `fetch` for addresses that strangers choose. In Node it connects only to public addresses; browsers cannot. */
export function publicFetch(): Fetch {
    const { process } = globalThis as unknown as { process?: { getBuiltinModule?: Builtin } };
    const builtin = process?.getBuiltinModule;
    return builtin ? nodeFetch(builtin, publicAddresses(builtin)) : globalThis.fetch;
}

/** Returns a function that tells whether an address is public. */
export function publicAddresses(builtin: Builtin): (address: Address) => boolean {
    const { BlockList } = builtin('node:net');
    // Each family has a list of its own, because an address of IPv4 also matches ::/3.
    const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
    for (const family of ['ipv4', 'ipv6'] as const) {
        for (const subnet of NOT_PUBLIC[family].split(' ')) {
            const [network = '', prefix] = subnet.split('/');
            lists[family].addSubnet(network, Number(prefix), family);
        }
    }
    return ({ address, family }) => {
        const name = family === 6 ? 'ipv6' : 'ipv4';
        return !lists[name].check(address.split('%', 1)[0] ?? '', name);
    };
}

/**
 * A `fetch` on node:https, which connects only to addresses that are allowed. The socket itself looks names up with the
 * function here, so a name cannot have another address by the time of the connection. It follows no redirects.
 */
export function nodeFetch(builtin: Builtin, isAllowed: (address: Address) => boolean): Fetch {
    const { get } = builtin('node:https');
    const { isIP } = builtin('node:net');
    const { toWeb } = builtin('node:stream').Readable;
    const { lookup: lookUp } = builtin('node:dns');
    const refused = () => new TypeError('The address is not public.');

    const lookup: Lookup = (host, options, found) =>
        lookUp(host, { ...options, all: true }, (error, all = []) => {
            const allowed = all.filter(isAllowed);
            const [first] = allowed;
            if (error || first === undefined) found(error ?? refused());
            else if (options.all) found(null, allowed);
            else found(null, first.address, first.family);
        });

    return (text, { headers, signal }) =>
        new Promise((resolve, reject) => {
            const url = new URL(text);
            const host = url.hostname.replace(/^\[|\]$/g, '');
            const family = isIP(host);
            if (family !== 0 && !isAllowed({ address: host, family })) throw refused(); // it needs no lookup
            const options = { agent: false, headers, lookup, signal };
            const request = get(url, options, (incoming) => {
                if (incoming.statusCode === 200) return resolve(new Response(toWeb(incoming)));
                incoming.destroy();
                reject(new TypeError(`The answer is ${incoming.statusCode}.`));
            });
            request.on('error', reject);
        });
}
