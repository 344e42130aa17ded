import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, it } from 'node:test';
import { Client } from 'pg';
import { AppError } from '../../../platform/errors.ts';
import { PRE_AUTHORIZED_CODE } from '../../../proto/openid4vci.ts';
import { unknownOffer } from '../../../services/exchange/rules.ts';
import { codeOf } from '../../../services/exchange/secrets.ts';
import { testContext } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { exchangeFixture } from './exchange.fixture.ts';

const { url, service, clock, erased } = await exchangeFixture();
clock.now = Date.now();
const [locker, watcher] = [await connected(), await connected()];
const ID = 'membership';

async function connected(): Promise<Client> {
    const client = new Client({ connectionString: url });
    client.on('error', () => {}); // the database is dropped before the connection is closed
    await client.connect();
    after(() => client.end());
    return client;
}

/** A new account with a configuration, of which it has offered one credential. */
async function offering() {
    const context = testContext({ user_id: randomUUID() });
    const named = { issuer_id: randomUUID(), configuration_id: ID };
    const described = { format: 'dc+sd-jwt', vct: 'https://club.example/', display: [], claims: [], proof_algs: [] };
    await service.createConfiguration({ ...named, ...described }, context);
    const offer = () => service.createOffer({ ...named, claims: '{}' }, context);
    return {
        ...named,
        context,
        offer,
        offered: await offer(),
        remove: () => service.deleteConfiguration(named, context),
    };
}

/** Makes calls, each of which waits for a lock, while another transaction holds those of a statement. Then it commits. */
async function whileLocked(statement: string, value: string, calls: ReadonlyArray<() => Promise<unknown>>) {
    await locker.query('BEGIN');
    await locker.query(statement, [value]);
    const called: Promise<unknown>[] = [];
    for (const call of calls) {
        called.push(call());
        await until('the call waits', async () => {
            const { rowCount } = await watcher.query(`
                SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`);
            return rowCount === called.length;
        });
    }
    await locker.query('COMMIT');
    return Promise.allSettled(called);
}

it('no offer is made of a configuration that is deleted meanwhile', async () => {
    const { issuer_id, offer } = await offering();
    const deletion = 'DELETE FROM exchange.configurations WHERE issuer = $1';
    const [result] = await whileLocked(deletion, issuer_id, [offer]);
    assert.ok(result?.status === 'rejected' && result.reason instanceof AppError);
    assert.equal(result.reason.kind, 'not_found');
});

it('an offer that is made while its configuration is deleted ends with it', async () => {
    const { context, offer, remove } = await offering();
    const counting = 'SELECT FROM exchange.accounts WHERE account = $1 FOR UPDATE';
    const results = await whileLocked(counting, context.user_id ?? '', [offer, remove]);
    assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'fulfilled'],
    );
    const { offers } = await service.listOffers({ limit: 9, with_total: false }, context);
    assert.deepEqual(
        offers.map(({ state }) => state),
        ['expired', 'expired'],
    );
});

it('of 300 wallets that redeem one code at once, one gets a token, and the others learn that it is spent', async () => {
    const { issuer_id, offered } = await offering();
    const secret = decodeURIComponent(offered.offer_uri).split('/').at(-1) ?? '';
    const { code } = await service.getCredentialOffer({ issuer_id, secret }, testContext());
    const request = { issuer_id, grant_type: PRE_AUTHORIZED_CODE, code };
    const results = await Promise.allSettled(Array.from({ length: 300 }, () => service.redeem(request, testContext())));
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    assert.equal(reasons.length, 299);
    for (const reason of reasons) assert.equal(reason.reason, 'invalid_grant', reason.detail);
});

it('a wallet that redeems while the account of its offer is erased learns that the code is unknown', async () => {
    const { issuer_id, offered } = await offering();
    const secret = decodeURIComponent(offered.offer_uri).split('/').at(-1) ?? '';
    erased.add(issuer_id); // signing is done, and exchange still has the offer
    const request = { issuer_id, grant_type: PRE_AUTHORIZED_CODE, code: codeOf(secret) };
    await assert.rejects(service.redeem(request, testContext()), { kind: 'invalid', reason: 'invalid_grant' });
    const shown = service.getCredentialOffer({ issuer_id, secret }, testContext());
    await assert.rejects(shown, { kind: 'not_found', detail: unknownOffer().detail });
});
