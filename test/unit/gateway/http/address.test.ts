import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { clientOf } from '../../../../gateway/http/address.ts';
import { networkList } from '../../../../platform/access/networks.ts';

const PROXY = '10.0.0.1';

/** The address of the client behind a proxy that sends this `X-Forwarded-For`. */
function seen(forwarded: string | undefined, trustedProxies = 1) {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    return clientOf({ headers, socket: { remoteAddress: PROXY } } as unknown as IncomingMessage, trustedProxies);
}

describe('the address of a client behind a proxy', () => {
    for (const [entry, ip, address = ip] of [
        ['203.0.113.7', '203.0.113.7'],
        ['203.0.113.7:4711', '203.0.113.7'],
        ['198.51.100.1, 203.0.113.7:4711 ', '203.0.113.7'],
        ['2001:db8::1', '2001:db8::1', '2001:db8:0:0::/64'],
        ['[2001:db8::1]', '2001:db8::1', '2001:db8:0:0::/64'],
        ['[2001:db8::1]:4711', '2001:db8::1', '2001:db8:0:0::/64'],
        ['[::ffff:203.0.113.7]:4711', '::ffff:203.0.113.7', '203.0.113.7'],
    ] as const) {
        it(`is read from ${entry}`, () => assert.deepEqual(seen(entry), { ip, address }));
    }

    for (const entry of [
        'unknown',
        '_hidden',
        '',
        '203.0.113.7, ',
        '203.0.113.7, unknown',
        '203.0.113.7:',
        '203.0.113.7:x',
        '203.0.113.7:123456',
        '203.0.113.999:80',
        '[203.0.113.7]:80',
        '[2001:db8::1',
        '[2001:db8::1]x',
        '[]:80',
        `for="[2001:db8::1]"`,
        `[${'1'.repeat(10_000)}]:80`,
    ]) {
        it(`cannot be read from ${JSON.stringify(entry.slice(0, 30))}, and is then not that of the proxy`, () => {
            const { ip, address } = seen(entry);
            assert.deepEqual({ ip, address }, { ip: 'unknown', address: 'unknown' });
            assert.equal(networkList(['0.0.0.0/0', '::/0'])(ip), false, 'no network contains it');
        });
    }

    it('is that of the connection if the header is missing or not trusted', () => {
        assert.equal(seen(undefined).ip, PROXY);
        assert.equal(seen('203.0.113.7', 0).ip, PROXY);
    });
});
