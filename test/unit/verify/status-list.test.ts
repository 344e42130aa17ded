import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import {
    decompress,
    MAX_LIST_BYTES,
    readStatusList,
    statusAt,
    statusReference,
} from '../../../verify/src/status-list.ts';
import { type ListOptions, listToken, lstOf, newSigner } from './signed-lists.ts';

const signer = newSigner();
const uri = 'https://status.example/v1/status-lists/1';
const named = { uri, iss: signer.did };
const read = (more: Partial<ListOptions> = {}) => readStatusList(listToken({ signer, uri, ...more }), named);

/** draft-ietf-oauth-status-list, section 4.1: the statuses of both examples. */
const ONE_BIT = [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1];
const TWO_BITS = [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3];

test('the lists of the draft have the statuses of the draft, least significant bits first', async () => {
    for (const [bits, lst, statuses] of [
        [1, 'eNrbuRgAAhcBXQ', ONE_BIT],
        [2, 'eNo76fITAAPfAgc', TWO_BITS],
    ] as const) {
        const bytes = await decompress(lst);
        assert.ok(bytes);
        const found = statuses.map((_, index) => statusAt({ bits, statuses: bytes }, index));
        assert.deepEqual(found, statuses);
        assert.equal(statusAt({ bits, statuses: bytes }, statuses.length), undefined);
    }
});

test('statuses of one, two, four and eight bits are read at every index, and none beyond the end', () => {
    const bytes = Uint8Array.of(0b1011_0110, 0b0100_1101);
    const number = bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
    for (const bits of [1, 2, 4, 8]) {
        for (let index = 0; index < 16 / bits; index++) {
            const expected = Math.floor(number / 2 ** (index * bits)) % 2 ** bits;
            assert.equal(statusAt({ bits, statuses: bytes }, index), expected, `${bits} bits at ${index}`);
        }
        assert.equal(statusAt({ bits, statuses: bytes }, 16 / bits), undefined);
        assert.equal(statusAt({ bits, statuses: bytes }, Number.MAX_SAFE_INTEGER), undefined);
    }
});

test('a list is read with its times', async () => {
    const list = await read({ payload: { iss: signer.did } });
    assert.deepEqual(list && { ...list, statuses: Buffer.from(list.statuses).toString('hex') }, {
        issued_at: 1_767_225_600,
        expires_at: 32_472_144_000,
        ttl: 60,
        bits: 1,
        kid: undefined,
        statuses: 'b9a3',
    });
    assert.equal((await read({ payload: { ttl: undefined } }))?.ttl, 0);
});

const REFUSED: Record<string, Partial<ListOptions>> = {
    'another signer': { signer: newSigner() },
    'another address': { uri: `${uri}/` },
    'another issuer': { payload: { iss: newSigner().did } },
    'no algorithm': { header: { alg: 'none' } },
    'another type': { header: { typ: 'JWT' } },
    'a critical extension': { header: { crit: ['x'] } },
    'no time of issue': { payload: { iat: undefined } },
    'no expiry': { payload: { exp: undefined } },
    'an expiry that is a text': { payload: { exp: '32472144000' } },
    'an expiry that no Date can have': { payload: { exp: 1e300 } },
    'a negative ttl': { payload: { ttl: -1 } },
    'three bits': { bits: 3 },
    'no list': { payload: { status_list: undefined } },
    'a list that is null': { payload: { status_list: null } },
    'a list that is not compressed': { payload: { status_list: { bits: 1, lst: 'uaM' } } },
    'a list in another alphabet': { payload: { status_list: { bits: 1, lst: `${lstOf(Uint8Array.of(1))}==` } } },
};
for (const [what, change] of Object.entries(REFUSED)) {
    test(`a list with ${what} is refused`, async () => assert.equal(await read(change), undefined));
}

test('a text that is no JWT, or that has been changed, is refused', async () => {
    const token = listToken({ signer, uri });
    const [head, body, signature] = token.split('.');
    const twice = Buffer.from(`{"alg":"EdDSA","typ":"statuslist+jwt","alg":"EdDSA"}`).toString('base64url');
    for (const text of [
        '',
        '..',
        '...',
        `${head}.${body}`,
        `${token}.`,
        `${token}.x`,
        `${head}.${body}.${signature}=`,
    ]) {
        assert.equal(await readStatusList(text, named), undefined, text);
    }
    assert.equal(await readStatusList(`${twice}.${body}.${signature}`, named), undefined);
    assert.equal(await readStatusList('a'.repeat(MAX_LIST_BYTES + 1), named), undefined);
});

test('a list of more than 4 MiB is refused, after little more than that has been decompressed', async () => {
    assert.equal((await decompress(lstOf(new Uint8Array(MAX_LIST_BYTES))))?.length, MAX_LIST_BYTES);
    assert.equal(await decompress(lstOf(new Uint8Array(MAX_LIST_BYTES + 1))), undefined);
    const bomb = deflateSync(new Uint8Array(1 << 28)).toString('base64url');
    assert.ok(bomb.length < MAX_LIST_BYTES);
    const before = process.memoryUsage().arrayBuffers;
    assert.equal(await decompress(bomb), undefined);
    assert.ok(process.memoryUsage().arrayBuffers - before < 64 << 20);
});

test('compressed bytes that end early or are not zlib give no list', async () => {
    const whole = deflateSync(new Uint8Array(1_000));
    for (const bytes of [whole.subarray(0, -3), whole.subarray(2), Buffer.alloc(0), Buffer.from('text')]) {
        assert.equal(await decompress(bytes.toString('base64url')), undefined);
    }
});

test('only a reference with an index, an address and a did:key is read', () => {
    const good = { idx: 0, uri, iss: signer.did };
    assert.deepEqual(statusReference(JSON.stringify({ status_list: { ...good, more: 1 } })), good);
    for (const change of [
        { idx: -1 },
        { idx: 0.5 },
        { idx: '0' },
        { idx: 2 ** 53 },
        { uri: 5 },
        { uri: `https://${'a'.repeat(2_048)}` },
        { iss: 'did:web:x' },
        { iss: undefined },
    ]) {
        assert.equal(statusReference(JSON.stringify({ status_list: { ...good, ...change } })), undefined);
    }
    for (const text of ['{}', '{"status_list":null}', '{"status_list":[]}', '[]']) {
        assert.equal(statusReference(text), undefined, text);
    }
});
