import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { z } from 'zod';
import { sql } from '../../../platform/postgres/db.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { seals } from '../../../services/signing/data-keys.ts';
import { keyEncryption } from '../../../services/signing/key-encryption/key-encryption.ts';
import { sealedSecretKey } from '../../../services/signing/rows.ts';
import { signingStore } from '../../../services/signing/store.ts';
import { testContext } from '../../support/harness.ts';
import { refuses } from '../credentials/credentials.fixture.ts';
import { newIssuer, startSigning } from './signing.fixture.ts';

const { db, kek, open, signing } = await startSigning();
const payload = '{"a":1}';

it('all issuers of an account share a data key, and accounts share none', async () => {
    const one = await newIssuer(signing, 'key');
    const two = await newIssuer(open(), 'web', one.context);
    await newIssuer(signing, 'key');
    const keys = await db.rows(sql.type(z.strictObject({ account: z.string(), data_keys: z.number() }))`
        SELECT account, count(DISTINCT data_key) AS data_keys FROM signing.issuers AS i
        JOIN signing.keys AS k ON k.issuer = i.id GROUP BY account`);
    assert.deepEqual(
        keys.map(({ data_keys }) => data_keys),
        [1, 1],
    );
    assert.equal((await db.rows(sql.unsafe`SELECT 1 FROM signing.data_keys`)).length, 2);
    await signing.sign({ did: two.did, payload }, one.context);
});

it('a secret key opens only in its own row, with the data key of its account, and unchanged', async () => {
    const own = await newIssuer(signing, 'web');
    const sibling = await newIssuer(signing, 'web', own.context);
    const foreign = await newIssuer(signing, 'web');
    const signs = () => open().sign({ did: own.did, payload }, own.context);
    await signs();
    const changes = [
        sql.fragment`sealed = (SELECT sealed FROM signing.keys WHERE kid = ${sibling.kid})`,
        sql.fragment`sealed = (SELECT sealed FROM signing.keys WHERE kid = ${foreign.kid})`,
        sql.fragment`data_key = (SELECT data_key FROM signing.keys WHERE kid = ${foreign.kid})`,
        sql.fragment`sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)`,
    ];
    for (const change of changes) {
        const [kept] = await db.rows(sql.type(sealedSecretKey.pick({ sealed: true, data_key: true }))`
            SELECT sealed, data_key FROM signing.keys WHERE kid = ${own.kid}`);
        await db.rows(sql.unsafe`UPDATE signing.keys SET ${change} WHERE kid = ${own.kid}`);
        await refuses('internal', signs());
        await db.rows(sql.unsafe`
            UPDATE signing.keys SET sealed = ${sql.binary(kept?.sealed as Buffer)},
                data_key = ${String(kept?.data_key)} WHERE kid = ${own.kid}`);
    }
    await signs();
});

it('a key does not sign for another issuer of the same account', async () => {
    const own = await newIssuer(signing, 'web');
    const sibling = await newIssuer(signing, 'web', own.context);
    await db.rows(sql.unsafe`DELETE FROM signing.keys WHERE kid = ${sibling.kid}`);
    await db.rows(sql.unsafe`UPDATE signing.keys SET issuer = ${sibling.issuer_id} WHERE kid = ${own.kid}`);
    await refuses('internal', open().sign({ did: sibling.did, payload }, own.context));
});

it('another key-encryption key opens nothing, and a further one opens what the first has wrapped', async () => {
    const { did, context } = await newIssuer(signing, 'key');
    const stranger = randomBytes(32).toString('base64');
    await refuses('unavailable', open({ kek: stranger }).sign({ did, payload }, context));
    await open({ kek: `${stranger},${kek}` }).sign({ did, payload }, context);
});

it('no row contains a secret key, a data key or the key-encryption key in clear', async () => {
    const { kid } = await newIssuer(signing, 'key');
    const [row] = await db.rows(sql.type(
        z.strictObject({ sealed: z.instanceof(Buffer), wrapped: z.instanceof(Buffer) }),
    )`
        SELECT k.sealed, d.wrapped FROM signing.keys AS k JOIN signing.data_keys AS d ON d.id = k.data_key
        WHERE k.kid = ${kid}`);
    // 32 bytes with 1 byte of version, 12 of nonce and 16 of tag: nothing else is stored.
    assert.deepEqual([row?.sealed.length, row?.wrapped.length], [61, 61]);
    assert.ok(!row?.wrapped.includes(Buffer.from(kek, 'base64').subarray(0, 8)));
});

it('an issuer of another account gets no signature from what a process remembers', async () => {
    const { did, context } = await newIssuer(signing, 'key');
    await signing.sign({ did, payload }, context);
    await refuses('not_found', signing.sign({ did, payload }, testContext()));
});

it('a data key is unwrapped once for all calls that need it at the same time', async () => {
    const { did, context } = await newIssuer(signing, 'key');
    let unwrapped = 0;
    const store = signingStore(db);
    const encryption = keyEncryption({ config: loadConfig({ KEK: kek }), metrics: createMetrics() });
    const counting: typeof encryption = {
        ...encryption,
        unwrap(...call) {
            unwrapped++;
            return encryption.unwrap(...call);
        },
    };
    const own = seals({ store, encryption: counting, clock: Date.now });
    const [row] = await store.signer(did, context);
    assert.ok(row);
    const place = { account: row.account, issuer: row.id, kid: row.kid };
    const opened = await Promise.all(Array.from({ length: 20 }, () => own.open(row, place, context)));
    assert.equal(new Set(opened.map((seed) => seed.toString('hex'))).size, 1);
    assert.equal(unwrapped, 1);
});
