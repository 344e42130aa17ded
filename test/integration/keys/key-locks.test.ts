import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { type LivenessMarks, livenessMarkKey, livenessMarks } from '../../../platform/access/liveness-marks.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { testContext } from '../../support/harness.ts';
import { buildKeys, keysFixture, SHARDS } from './keys.fixture.ts';

const { db, url, redis, keys, authenticate } = await keysFixture();
const outsider = new Client({ connectionString: url });
const LOCKED = 'SELECT FROM keys.keys JOIN keys.accounts USING (account) WHERE account = $1 FOR UPDATE';

/** Marks that ask before they are set whether a row of the account is locked. */
function watchingMarks(): { marks: LivenessMarks; looks: () => number } {
    const inner = livenessMarks({ redis, shards: SHARDS });
    let looks = 0;
    const look = async (account: string): Promise<void> => {
        await outsider.query(`${LOCKED} NOWAIT`, [account]);
        looks++;
    };
    const marks: LivenessMarks = {
        async changeVersions(target, lifetime) {
            await look(target.account);
            return inner.changeVersions(target, lifetime);
        },
        async refuse(target, lifetime) {
            await look(target.account);
            return inner.refuse(target, lifetime);
        },
        async refuseAnd(target, commit, lifetime) {
            await look(target.account);
            return inner.refuseAnd(target, commit, lifetime);
        },
    };
    return { marks, looks: () => looks };
}

describe('keys of one account that change', { timeout: 60_000 }, () => {
    before(() => outsider.connect());
    after(() => outsider.end());

    test('lock no row while Redis answers', async () => {
        const { marks, looks } = watchingMarks();
        const watched = buildKeys({ db, redis, marks });
        const context = testContext();
        const { key_id } = await watched.generate({ name: 'a' }, context);
        await watched.restrict({ key_id, scopes: ['dids:read'] }, context);
        await watched.rotate({ key_id, overlap_seconds: 3_600 }, context);
        await watched.revoke({ key_id }, context);
        await watched.setSuspension({ user_id: context.user_id ?? '', suspended: true, version: 1 }, context);
        assert.equal(looks(), 4);
    });

    test('wait for each other, while another account is answered', async () => {
        const [busy, other] = [testContext(), testContext()];
        const { key_id } = await keys.generate({ name: 'a' }, busy);
        await outsider.query('BEGIN');
        await outsider.query(LOCKED, [busy.user_id]);
        const changes = Array.from({ length: 50 }, (_, at) =>
            at % 2
                ? keys.rename({ key_id, name: `name ${at}` }, busy)
                : keys.restrict({ key_id, scopes: ['dids:read'] }, busy),
        );
        const all = Promise.all(changes);
        const made = await keys.generate({ name: 'b' }, other);
        await keys.restrict({ key_id: made.key_id, scopes: ['dids:*'] }, other);
        await keys.rotate({ key_id: made.key_id }, other);
        assert.equal((await authenticate(made.api_key)).alive, true);
        await outsider.query('COMMIT');
        await all;
    });

    test('end with a mark of their last version, also if a replaced key changes while its successor is replaced', async () => {
        const context = testContext();
        const inner = livenessMarks({ redis, shards: SHARDS });
        const first = await keys.generate({ name: 'a' }, context);
        const second = await keys.rotate({ key_id: first.key_id, overlap_seconds: 3_600 }, context);
        let isAnnounced = false;
        const marks: LivenessMarks = {
            ...inner,
            async changeVersions(target, lifetime) {
                const failure = await inner.changeVersions(target, lifetime);
                if (!isAnnounced) await keys.restrict({ key_id: first.key_id, scopes: ['dids:read'] }, context);
                isAnnounced = true;
                return failure;
            },
        };
        const { version } = await authenticate(first.api_key);
        const keyId = second.key?.key_id ?? '';
        await buildKeys({ db, redis, marks }).rotate({ key_id: keyId, overlap_seconds: 0 }, context);
        assert.equal((await authenticate(first.api_key)).alive, false);
        const mark = livenessMarkKey(shardTag(context.user_id ?? '', SHARDS), 'key', first.key_id);
        assert.equal(await redis.get(mark), `S${version + 2}`);
    });

    test('end with a mark of the last version, however many changes are made at once', async () => {
        const context = testContext();
        const { key_id, api_key } = await keys.generate({ name: 'a' }, context);
        await Promise.all(Array.from({ length: 20 }, () => keys.restrict({ key_id, scopes: ['dids:read'] }, context)));
        const { version } = await authenticate(api_key);
        assert.equal(version, 20);
        assert.equal(await redis.get(livenessMarkKey(shardTag(context.user_id ?? '', SHARDS), 'key', key_id)), 'S20');
    });
});
