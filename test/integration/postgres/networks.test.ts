import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { networkList, readNetwork } from '../../../platform/access/networks.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { testDatabase } from '../../support/harness.ts';

const { db } = await testDatabase();
/** Pairs that one query compares. */
const PAIRS = 500;

interface Pair {
    address: string;
    network: string;
}

const octets = (bytes: number[]): string => bytes.join('.');
const groups = (bytes: number[]): string =>
    Array.from({ length: 8 }, (_, at) => (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16)).join(
        ':',
    );

/** The bytes with all bits after `prefix` cleared. */
const cleared = (bytes: number[], prefix: number): number[] =>
    bytes.map((byte, at) => byte & (0xff00 >> Math.min(Math.max(prefix - 8 * at, 0), 8)) & 0xff);

/** A network, and an address near it: the same bits, with one of them or none changed. */
const pairs = (size: 4 | 16): fc.Arbitrary<Pair> =>
    fc
        .record({
            bytes: fc.array(fc.constantFrom(0, 1, 127, 128, 170, 254, 255), { minLength: size, maxLength: size }),
            prefix: fc.nat(8 * size),
            flipped: fc.option(fc.nat(8 * size - 1)),
        })
        .map(({ bytes, prefix, flipped }) => {
            const text = size === 4 ? octets : groups;
            const near = bytes.map((byte, at) =>
                flipped !== null && flipped >> 3 === at ? byte ^ (0x80 >> (flipped & 7)) : byte,
            );
            return { address: text(near), network: `${text(cleared(bytes, prefix))}/${prefix}` };
        })
        .filter(({ network }) => !network.startsWith('0:0:0:0:0:ffff:'));

test('an address is in a network exactly if PostgreSQL finds that, over 20,000 pairs of both families', async () => {
    for (const size of [4, 16] as const) {
        for (let round = 0; round < 20; round++) {
            const sample = fc.sample(pairs(size), PAIRS);
            const rows = await db.rows(sql.type(z.strictObject({ contains: z.boolean(), canonical: z.string() }))`
                SELECT address::inet <<= network::cidr AS contains, network::cidr::text AS canonical
                FROM unnest(${sql.array(
                    sample.map(({ address }) => address),
                    'text',
                )}, ${sql.array(
                    sample.map(({ network }) => network),
                    'text',
                )}) WITH ORDINALITY AS pair (address, network, place) ORDER BY place`);
            for (const [index, { address, network }] of sample.entries()) {
                const read = readNetwork(network);
                assert.ok(read !== undefined, network);
                assert.equal(networkList([read])(address), rows[index]?.contains, `${address} in ${network}`);
            }
        }
    }
});

test('a network with a bit after its prefix is refused, as PostgreSQL refuses it', async () => {
    const withHostBit = fc.sample(
        fc
            .record({
                bytes: fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }),
                prefix: fc.nat(31),
                bit: fc.nat(31),
            })
            .filter(({ prefix, bit }) => bit >= prefix)
            .map(({ bytes, prefix, bit }) => {
                const set = cleared(bytes, prefix).map((byte, at) =>
                    bit >> 3 === at ? byte | (0x80 >> (bit & 7)) : byte,
                );
                return `${octets(set)}/${prefix}`;
            }),
        50,
    );
    for (const network of withHostBit) {
        assert.equal(readNetwork(network), undefined, network);
        await assert.rejects(db.rows(sql.unsafe`SELECT ${network}::cidr`), network);
    }
});
