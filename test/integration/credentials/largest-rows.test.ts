import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { z } from 'zod';
import { sql } from '../../../platform/postgres/db.ts';
import { requestBy, startIssuing } from './credentials.fixture.ts';

const { db, credentials, issuer } = await startIssuing();
const COUNT = 400;
/** The longest type, of characters of four bytes that do not compress. */
const wideType = () =>
    Array.from(randomBytes(255), (byte, at) => String.fromCodePoint(0x20000 + 256 * (at % 160) + byte)).join('');

test('the largest credential takes at most 6 KiB, with its indexes', async () => {
    await Promise.all(
        Array.from({ length: COUNT }, () => {
            const subject = `did:example:${randomBytes(506).toString('hex')}`;
            assert.equal(subject.length, 1_024);
            const changes = { subject_did: subject, credential_type: wideType() };
            return credentials.issue(requestBy(issuer, changes), issuer.context);
        }),
    );
    const [row] = await db.rows(
        sql.type(
            z.strictObject({ bytes: z.number() }),
        )`SELECT pg_total_relation_size('credentials.credentials') AS bytes`,
    );
    const each = (row?.bytes ?? 0) / COUNT;
    assert.ok(each > 2_000 && each <= 6 * 1_024, `${Math.round(each)} bytes`);
});
