import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk } from '../support/client.ts';
import { openToken } from '../support/tokens.ts';
import { newDid } from '../support/world.ts';
import { issuing } from './issue.fixture.ts';

const { token, issuer, issueCall } = await issuing();
const other = await newDid(token);

describe('the private key', () => {
    const key = Buffer.from(issuer.private_key, 'base64');
    const foreign = Buffer.from(other.private_key, 'base64');
    const join = (...parts: Buffer[]) => Buffer.concat(parts).toString('base64');

    for (const [what, text] of [
        ['64 bytes', join(key)],
        ['only the seed', join(key.subarray(0, 32))],
        ['unpadded base64url', key.toString('base64url')],
        ['unpadded base64', join(key).replaceAll('=', '')],
        ['padded base64url', `${key.subarray(0, 32).toString('base64url')}=`],
    ] as const) {
        it(`may be ${what}`, async () => {
            const { credential } = await expectOk(201, issueCall({ issuer_private_key: text }));
            await openToken(credential, issuer.public_key);
        });
    }

    for (const [what, text] of [
        ['empty', ''],
        ['of another DID', join(foreign)],
        ['another seed', join(foreign.subarray(0, 32))],
        ['two halves that do not match', join(foreign.subarray(0, 32), key.subarray(32))],
        ['a seed and another public key', join(key.subarray(0, 32), foreign.subarray(32))],
        ['31 bytes', join(key.subarray(0, 31))],
        ['33 bytes', join(key.subarray(0, 33))],
        ['63 bytes', join(key.subarray(0, 63))],
        ['65 bytes', join(key, Buffer.of(0))],
        ['96 bytes', join(key, key.subarray(32))],
        ['the public key', issuer.public_key],
        ['32 zeros', join(Buffer.alloc(32))],
        ['hexadecimal', key.toString('hex')],
        ['not base64', '!'.repeat(44)],
        ['followed by a line end', `${join(key)}\n`],
        ['100,000 characters long', 'A'.repeat(100_000)],
    ] as const) {
        it(`is refused and not repeated in the answer if it is ${what}`, async () => {
            const { text: answer } = await expectError(400, issueCall({ issuer_private_key: text }));
            assert.ok(text === '' || !answer.includes(text));
            assert.ok(!answer.includes('v4.public.'));
        });
    }
});
