import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkList, readNetwork, unmapped } from '../../../../platform/access/networks.ts';

describe('a network in CIDR notation', () => {
    const read: Record<string, string> = {
        '0.0.0.0/0': '0.0.0.0/0',
        '10.0.0.0/8': '10.0.0.0/8',
        '203.0.113.7/32': '203.0.113.7/32',
        '203.0.113.128/25': '203.0.113.128/25',
        '::/0': '::/0',
        '2001:DB8::/32': '2001:db8::/32',
        '2001:0db8:0000:0000:0000:0000:0000:0001/128': '2001:db8::1/128',
        '2001:db8:8000::/33': '2001:db8:8000::/33',
        '64:ff9b::192.0.2.0/120': '64:ff9b::c000:200/120',
    };
    for (const [text, network] of Object.entries(read)) {
        it(`${text} is read as ${network}`, () => assert.equal(readNetwork(text), network));
    }

    const refused = {
        'an address alone': '203.0.113.7',
        'an empty text': '',
        'no address': '/8',
        'no prefix': '10.0.0.0/',
        'host bits (IPv4)': '10.0.0.1/8',
        'a host bit next to the prefix': '203.0.113.64/25',
        'host bits (IPv6)': '2001:db8::1/32',
        'a host bit next to the prefix (IPv6)': '2001:db8:4000::/33',
        'a prefix of 33': '10.0.0.0/33',
        'a prefix of 129': '2001:db8::/129',
        'a prefix with a leading zero': '10.0.0.0/08',
        'a signed prefix': '10.0.0.0/+8',
        'a mask': '10.0.0.0/255.0.0.0',
        'three numbers': '10.0.0/8',
        'a number over 255': '256.0.0.0/8',
        'leading zeros': '010.0.0.0/8',
        'a zone': 'fe80::%1/64',
        'white space': ' 10.0.0.0/8',
        'a line break at the end': '10.0.0.0/8\n',
        'a host name': 'localhost/8',
        'IPv4-mapped IPv6': '::ffff:10.0.0.0/104',
        'all of IPv4-mapped IPv6': '::ffff:0:0/96',
        'a long text': `${'1'.repeat(100_000)}/8`,
    };
    for (const [name, text] of Object.entries(refused)) {
        it(`is refused: ${name}`, () => assert.equal(readNetwork(text), undefined));
    }
});

describe('a list of networks', () => {
    const allows = networkList(['10.1.0.0/16', '203.0.113.7/32', '2001:db8:1::/48', '::1/128']);

    it('contains the first and the last address of each network, and not their neighbours', () => {
        for (const address of ['10.1.0.0', '10.1.255.255', '203.0.113.7', '2001:db8:1::', '::1']) {
            assert.equal(allows(address), true, address);
        }
        assert.equal(allows('2001:db8:1:ffff:ffff:ffff:ffff:ffff'), true);
        for (const address of ['10.0.255.255', '10.2.0.0', '203.0.113.6', '203.0.113.8', '2001:db8:2::', '::2']) {
            assert.equal(allows(address), false, address);
        }
    });

    it('takes an IPv4-mapped IPv6 address for the IPv4 address, in every notation, and ignores a zone', () => {
        for (const address of ['::ffff:10.1.2.3', '::FFFF:a01:203', '0:0:0:0:0:ffff:10.1.2.3', '::1%eth0']) {
            assert.equal(allows(address), true, address);
        }
        assert.equal(allows('::ffff:10.2.0.0'), false);
    });

    it('of all IPv6 addresses contains no IPv4 address, and the other way round', () => {
        assert.deepEqual([networkList(['::/0'])('10.0.0.1'), networkList(['::/0'])('::ffff:10.0.0.1')], [false, false]);
        assert.deepEqual(
            [networkList(['0.0.0.0/0'])('2001:db8::1'), networkList(['0.0.0.0/0'])('1.2.3.4')],
            [false, true],
        );
    });

    it('contains nothing that is no address', () => {
        for (const text of ['', 'unknown', '10.1.2', '10.1.2.3/32', '10.1.0.0:80', '2001:db8:1::/64']) {
            assert.equal(networkList(['0.0.0.0/0', '::/0'])(text), false, text);
        }
    });
});

it('an address that is not mapped stays as it is', () => {
    const addresses = ['10.0.0.1', '2001:db8::1', 'unknown', ''];
    assert.deepEqual(addresses.map(unmapped), addresses);
});
