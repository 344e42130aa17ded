import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import process from 'node:process';
import { after, describe, it } from 'node:test';
import { setDefaultCACertificates } from 'node:tls';
import { nodeFetch, publicAddresses } from '../../../verify/src/public-fetch.ts';
import { verifyCredential } from '../../../verify/src/verify.ts';
import { authority } from '../../support/certificates.ts';
import { credentialToken, listToken, newSigner } from './signed-lists.ts';

const issuer = newSigner();
const builtin = process.getBuiltinModule as Parameters<typeof publicAddresses>[0];
const isPublic = publicAddresses(builtin);
const root = authority('root of this test');
setDefaultCACertificates([root.cert]);

/** A server of lists on all addresses of this machine. */
let connections = 0;
const reached: string[] = [];
const server = createServer(root.certify('lists', ['localhost', 'lists.example']), ({ url, headers }, response) => {
    if (url === '/redirect') return response.writeHead(302, { Location: '/list' }).end();
    if (url === '/missing') return response.writeHead(404).end();
    response.end(listToken({ signer: issuer, uri: `https://${headers.host}${url}` }));
});
server.on('connection', () => connections++);
server.on('secureConnection', ({ localAddress = '' }) => reached.push(localAddress.replace('::ffff:', '')));
server.listen(0, '::');
await once(server, 'listening');
after(() => server.close());
const { port } = server.address() as AddressInfo;

/** The status in the list at an address. */
async function statusAt(uri: string, fetch?: typeof globalThis.fetch | ReturnType<typeof nodeFetch>) {
    const credential = credentialToken(issuer, { status_list: { idx: 1, uri, iss: issuer.did } });
    return (await verifyCredential(credential, { status: 'fetch', fetch })).status;
}

describe('a list in Node', () => {
    it('is never fetched from an address that is not public, whatever its notation', async () => {
        const hosts = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '0.0.0.0', '[::1]', '[::]'];
        for (const host of [...hosts, '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', 'localhost']) {
            assert.equal(await statusAt(`https://${host}:${port}/list`), 'unknown', host);
        }
        assert.equal(connections, 0);
        assert.equal(await statusAt(`https://localhost:${port}/list`, globalThis.fetch), 'valid');
        assert.equal(connections, 1);
    });

    it('is never fetched from a name of such an address, and the socket uses the address that was judged', async (t) => {
        connections = 0;
        let lookups = 0;
        const answers: dns.LookupAddress[][] = [[{ address: '127.0.0.1', family: 4 }]];
        t.mock.method(dns, 'lookup', (_host: string, _options: object, found: (...all: unknown[]) => void) =>
            found(null, answers[Math.min(lookups++, answers.length - 1)]),
        );
        assert.equal(await statusAt(`https://rebound.example:${port}/list`), 'unknown');
        assert.deepEqual({ lookups, connections }, { lookups: 1, connections: 0 });
        // The name is looked up once, so a second answer is not asked for.
        answers.unshift([{ address: '127.0.0.2', family: 4 }]);
        lookups = 0;
        const judged: string[] = [];
        const allowing = nodeFetch(builtin, ({ address }) => judged.push(address) > 0);
        assert.equal(await statusAt(`https://lists.example:${port}/list`, allowing), 'valid');
        assert.deepEqual(
            { lookups, judged, at: reached.at(-1) },
            { lookups: 1, judged: ['127.0.0.2'], at: '127.0.0.2' },
        );
    });

    it('is fetched from those addresses of a name that are public', async (t) => {
        const both = ['127.0.0.3', '127.0.0.2'].map((address) => ({ address, family: isIP(address) }));
        t.mock.method(dns, 'lookup', (_host: string, _options: object, found: (...all: unknown[]) => void) =>
            found(null, both),
        );
        const allowing = nodeFetch(builtin, ({ address }) => address === '127.0.0.2');
        assert.equal(await statusAt(`https://lists.example:${port}/other`, allowing), 'valid');
        assert.equal(reached.at(-1), '127.0.0.2');
    });

    it('is unknown after a redirect, a refusal, an unknown name and an abort', async () => {
        const allowing = nodeFetch(builtin, () => true);
        for (const path of ['redirect', 'missing']) {
            assert.equal(await statusAt(`https://localhost:${port}/${path}`, allowing), 'unknown', path);
        }
        assert.equal(await statusAt('https://nobody.invalid/list', allowing), 'unknown');
        const aborted = allowing(`https://localhost:${port}/list`, { signal: AbortSignal.abort() });
        await assert.rejects(aborted, { name: 'AbortError' });
    });
});

describe('an address', () => {
    for (const [expected, addresses] of [
        [
            false,
            '0.0.0.0 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.168.1.1 198.18.0.1 203.0.113.1 224.0.0.1 255.255.255.255 :: ::1 ::ffff:8.8.8.8 64:ff9b::a00:1 fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2001::1 2001:db8::1 2002:a00:1::',
        ],
        [
            true,
            '1.1.1.1 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 172.15.255.255 172.32.0.1 192.167.255.255 223.255.255.255 2001:200::1 2606:4700::1111 2a00:1450::1 3ffe::1',
        ],
    ] as const) {
        it(`is ${expected ? 'public' : 'not public'}: ${addresses.slice(0, 30)}…`, () => {
            for (const address of addresses.split(' ')) {
                assert.equal(isPublic({ address, family: address.includes(':') ? 6 : 4 }), expected, address);
            }
        });
    }
});
