import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { until } from '../../support/until.ts';
import { credentialRequest, described, redeemed } from '../exchange/exchange-examples.ts';
import { expectOk, service } from '../support/client.ts';
import { issueBody, login, newAccount, newDid, newWallet } from '../support/world.ts';

/** Waits until the audit has so many events of the account. Returns those of each type and actor, sorted. */
async function actorsOf(account: string, count: number) {
    const found: Array<[type: string, actor: string | undefined, requests: Array<string | undefined>]> = [];
    await until(`there are ${count} events`, async () => {
        found.length = 0;
        for await (const line of service.internal.admin.audit()) {
            if (line.kind !== 'row' || line.account !== account) continue;
            found.push([line.type, line.actor, line.data.map(({ request_id }) => request_id)]);
        }
        return found.flatMap(([, , requests]) => requests).length >= count;
    });
    return found.toSorted();
}

/** Type and actor of each event, sorted. */
function namedIn(actors: Awaited<ReturnType<typeof actorsOf>>): string[] {
    return actors.flatMap(([type, actor, ids]) => ids.map(() => `${type} ${actor}`)).sort();
}

/** The session whose token this is, as the audit names it. */
function sessionOf({ token }: { token: string }): string {
    const [, payload = ''] = token.split('.');
    return `session:${JSON.parse(Buffer.from(payload, 'base64url').toString()).sid}`;
}

it('the audit says who has acted and with which request, and the stream of the account does not', async () => {
    const [account, owner] = [await newAccount(), await newAccount()];
    const me = service.as(account);
    const { key_id, api_key: token } = await me.keys.generate({ name: 'key', tier: 'enterprise' });
    const issuer = await newDid(owner.token);
    const path = '/v1/credentials';
    const requests = [randomUUID(), randomUUID()];
    const body = issueBody(issuer, 'did:web:subject.example');
    const issued: string[] = [];
    for (const id of requests) {
        const headers = { 'X-Request-Id': id };
        issued.push((await expectOk(201, { method: 'POST', path, token, body, headers })).credential_id);
    }
    const { issuer_id } = await service.as({ token }).issuers.create({ name: 'Registrar', method: 'web' });
    await me.issuers.archive({ issuer_id });
    await newWallet(account.token);
    const ended = await login(account);
    await service.internal.auth.logout({ token: ended.token });
    await service.internal.admin.suspendUser({ user_id: account.user_id });
    await service.internal.admin.restoreUser({ user_id: account.user_id });
    // The owner of a DID may revoke what another account has issued with it, and so may a trusted caller.
    const [one = '', two = ''] = issued;
    await service.as(owner).credentials.revoke({ credential_id: one, issuer_did: issuer.did });
    await service.internal.credentials.revoke({ credential_id: two, issuer_did: issuer.did });

    const actors = await actorsOf(account.user_id, 11);
    const [key, session] = [`key:${key_id}`, sessionOf(account)];
    assert.deepEqual(
        namedIn(actors),
        [
            `credential.issued ${key}`,
            `credential.issued ${key}`,
            `credential.revoked ${sessionOf(owner)}@${owner.user_id}`,
            'credential.revoked trusted',
            `issuer.archived ${session}`,
            `issuer.created ${key}`,
            `key.created ${session}`,
            'session.ended trusted',
            'user.restored trusted',
            'user.suspended trusted',
            `wallet.created ${session}`,
        ].sort(),
    );
    const sent = actors.flatMap(([type, , ids]) => (type === 'credential.issued' ? ids : []));
    // The credentials may lie in two databases, whose events come in any order.
    assert.deepEqual(sent.sort(), requests.sort());
    assert.ok(actors.every(([, , ids]) => ids.every((id) => id !== undefined)));
    const stream = JSON.stringify(await me.events.list({ after: 0 }));
    for (const hidden of [...requests, session, 'actor']) assert.ok(!stream.includes(hidden), hidden);
});

it('an offer has events of its own, and what it gives is issued by who has made it', async () => {
    const account = await newAccount();
    const me = service.as(account);
    const { key_id, api_key } = await me.keys.generate({ name: 'key', tier: 'enterprise' });
    const { issuer_id, did } = await me.issuers.create({ name: 'club', method: 'web' });
    await me.configurations.create({ issuer_id, ...described() });
    const input = { issuer_id, configuration_id: 'membership', claims: { given_name: 'Ada' } };
    const offers: string[] = [];
    for (const maker of [account, { token: api_key }]) {
        const offered = await service.as(maker).offers.create(input);
        const { offer_id } = offered;
        const { access_token } = await redeemed(offered);
        const wallet = service.as({ token: access_token });
        await wallet.exchange.credential(await credentialRequest(issuer_id));
        for (const event of ['credential_failure', 'credential_accepted', 'credential_accepted'])
            await wallet.exchange.notification({ issuer_id, notification_id: offer_id, event });
        assert.equal((await me.offers.get({ offer_id })).notification, 'credential_accepted');
        offers.push(offer_id);
    }

    const actors = await actorsOf(account.user_id, 10);
    const session = sessionOf(account);
    assert.deepEqual(namedIn(actors), [
        `credential.issued key:${key_id}`,
        `credential.issued ${session}`,
        `issuer.created ${session}`,
        `key.created ${session}`,
        ...Array(4).fill('offer.notified wallet'),
        ...Array(2).fill('offer.redeemed wallet'),
    ]);
    const { events } = await me.events.list({ types: 'offer.redeemed,offer.notified,credential.issued' });
    for (const offerId of offers) {
        const own = events.filter(({ data }) => data.offer_id === offerId);
        assert.deepEqual(
            own.map(({ type, data }) => ({ type, ...data })),
            [
                { type: 'offer.redeemed', offer_id: offerId },
                { type: 'offer.notified', offer_id: offerId, notification: 'credential_failure' },
                { type: 'offer.notified', offer_id: offerId, notification: 'credential_accepted' },
            ],
        );
    }
    const issued = events.filter(({ type }) => type === 'credential.issued');
    assert.deepEqual(
        issued.map(({ data }) => data.issuer_did),
        [did, did],
    );
});
