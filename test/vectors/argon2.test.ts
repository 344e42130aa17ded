import assert from 'node:assert/strict';
import test from 'node:test';
import { hashRawSync } from '@node-rs/argon2';
import argon2 from 'argon2';
import { AppError } from '../../platform/errors.ts';
import { verifyPassword } from '../../workers/crypto/password.ts';
import nobleTags from './argon2/noble-argon2.json' with { type: 'json' };
import phc from './argon2/phc-argon2id.json' with { type: 'json' };

interface Row {
    name: string;
    version: number;
    memory_kib: number;
    passes: number;
    lanes: number;
    password: Buffer;
    salt: Buffer;
    secret: Buffer;
    associated_data: Buffer;
    tag: string;
}

const NONE = Buffer.alloc(0);
const describe = (memoryKib: number, passes: number, lanes: number) => `m=${memoryKib},t=${passes},p=${lanes}`;

const kats: Row[] = phc.kats.map((row) => ({
    ...row,
    name: `P-H-C known answer, version ${row.version}`,
    password: Buffer.from(row.password, 'hex'),
    salt: Buffer.from(row.salt, 'hex'),
    secret: Buffer.from(row.secret, 'hex'),
    associated_data: Buffer.from(row.associated_data, 'hex'),
}));

const referenceTests: Row[] = phc.test_c.map((row) => ({
    ...row,
    name: `P-H-C test.c ${row.password} ${row.salt} ${describe(row.memory_kib, row.passes, row.lanes)}`,
    version: 19,
    password: Buffer.from(row.password),
    salt: Buffer.from(row.salt),
    secret: NONE,
    associated_data: NONE,
}));

/** noble-hashes' sets of parameters: lengths of password, salt and secret, length of the tag, passes, lanes, KiB. */
const NOBLE_SETS = [
    [32, 16, 0, 32, 1, 1, 8],
    [0, 8, 0, 4, 1, 1, 8],
    [1, 9, 0, 16, 1, 1, 8],
    [64, 32, 1, 33, 1, 1, 8],
    [256, 64, 8, 64, 1, 1, 8],
    [1024, 256, 257, 128, 1, 1, 8],
    [65_536, 1024, 1024, 512, 1, 1, 8],
    [262_144, 65_536, 65_536, 32, 1, 1, 8],
    [32, 16, 0, 32, 2, 2, 16],
    [32, 16, 0, 32, 4, 3, 24],
    [32, 16, 0, 32, 8, 4, 32],
    [32, 16, 0, 32, 32, 1, 64],
    [32, 16, 0, 32, 1, 16, 128],
    [32, 16, 0, 32, 1, 1, 1024],
    [32, 16, 0, 1024, 1, 1, 4096],
] as const;

/** `length` bytes that count five numbers round and round. */
const pattern = (first: number, length: number) => Buffer.from(Array.from({ length }, (_, i) => first + (i % 5)));

const noble: Row[] = NOBLE_SETS.map(([password, salt, secret, tagBytes, passes, lanes, memoryKib], index) => {
    const tag = nobleTags[nobleTags.length - NOBLE_SETS.length + index] ?? ''; // Argon2id, version 19, comes last
    assert.equal(tag.length, 2 * tagBytes);
    return {
        name: `noble ${index} ${describe(memoryKib, passes, lanes)}`,
        version: 19,
        memory_kib: memoryKib,
        passes,
        lanes,
        password: pattern(1, password),
        salt: pattern(6, salt),
        secret: pattern(11, secret),
        associated_data: NONE,
        tag,
    };
});

/** What is not used here: other versions, secrets, associated data. */
const needsMore = (row: Row) => row.version !== 19 || row.secret.length + row.associated_data.length > 0;

/** As the row would stand in a user table. */
function stored({ version, memory_kib, passes, lanes, salt, tag }: Row): string {
    const [saltText, tagText] = [salt, Buffer.from(tag, 'hex')].map((bytes) =>
        bytes.toString('base64').replaceAll('=', ''),
    );
    return `$argon2id$v=${version}$${describe(memory_kib, passes, lanes)}$${saltText}$${tagText}`;
}

const rows = [...kats, ...referenceTests, ...noble];

for (const row of rows) {
    test(`${row.name}: the yardstick agrees`, async () => {
        const { memory_kib, passes, lanes, secret, associated_data, salt, version } = row;
        const hash = await argon2.hash(row.password, {
            raw: true,
            memoryCost: memory_kib,
            timeCost: passes,
            parallelism: lanes,
            hashLength: row.tag.length / 2,
            ...{ secret, associatedData: associated_data, salt, version },
        });
        assert.equal(hash.toString('hex'), row.tag);
    });
}

/** Versions as @node-rs/argon2 counts them. */
const LIBRARY_VERSIONS = new Map([
    [16, 0],
    [19, 1],
]);
const withoutData = rows.filter((row) => row.associated_data.length === 0);
assert.equal(withoutData.length, 23);
for (const row of withoutData) {
    test(`${row.name}: the library that hashes here agrees`, () => {
        const { memory_kib, passes, lanes, secret, salt, version } = row;
        const tag = hashRawSync(row.password, {
            memoryCost: memory_kib,
            timeCost: passes,
            parallelism: lanes,
            outputLen: row.tag.length / 2,
            salt,
            ...(secret.length > 0 && { secret }),
            ...{ version: LIBRARY_VERSIONS.get(version) },
        });
        assert.equal(tag.toString('hex'), row.tag);
    });
}

/** A stored hash of 256 characters or more, with a tag under 16 bytes, or of more than 10 passes is not read either. */
const readable = (row: Row) => !needsMore(row) && row.passes <= 10 && row.tag.length >= 32 && stored(row).length < 256;

assert.equal(rows.filter(readable).length, 15);
for (const row of rows) {
    const password = row.password.toString('latin1');
    if (readable(row)) {
        test(`${row.name}: as a stored hash it matches its password only`, () => {
            assert.equal(verifyPassword(stored(row), password), true);
            assert.equal(verifyPassword(stored(row), `${password}x`), false);
        });
    } else {
        test(`${row.name}: as a stored hash it matches nothing`, () => {
            assert.equal(matches(stored(row), password), false);
        });
    }
}

/** A hash that was made with a secret reads like any other, and then does not match; the others are not read at all. */
function matches(phcText: string, password: string): boolean {
    try {
        return verifyPassword(phcText, password);
    } catch (error) {
        assert.ok(error instanceof AppError && error.kind === 'internal');
        return false;
    }
}
