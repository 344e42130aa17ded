import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MeExportData } from '../../../client/src/client.ts';
import { until } from '../../support/until.ts';
import { described } from '../exchange/exchange-examples.ts';
import { expectError, send, service } from '../support/client.ts';
import { issue, login, newAccount, newDid, newKey, newWallet, present, store } from '../support/world.ts';

type Line = MeExportData;
type OfKind<Kind extends Line['kind']> = Extract<Line, { kind: Kind }>;

/** The export of an account: its text, and its lines. */
async function exported({ token }: { token: string }) {
    const { status, text } = await send({ path: '/v1/me/export', token });
    assert.equal(status, 200, text);
    assert.ok(text.endsWith('\n'));
    const lines: Line[] = text
        .slice(0, -1)
        .split('\n')
        .map((line) => JSON.parse(line));
    return { text, lines };
}

function ofKind<Kind extends Line['kind']>(lines: readonly Line[], kind: Kind): Array<OfKind<Kind>> {
    return lines.filter((line): line is OfKind<Kind> => line.kind === kind);
}

/** An account that has objects of every kind, and all secrets that it got. */
async function filledAccount() {
    const account = await newAccount();
    const { token } = account;
    const me = service.as(account);
    const ended = await login(account);
    await service.internal.auth.logout({ token: ended.token });
    const { key_id, api_key } = await newKey(account);
    const own = await newDid(token);
    const managed = await me.issuers.create({ name: 'Registrar', method: 'web' });
    const configuration = await me.configurations.create({ issuer_id: managed.issuer_id, ...described() });
    const kept = await issue(token, managed);
    const revoked = await issue(token, own, { claims: { secret: 'of the subject' } });
    await me.credentials.revoke({ credential_id: revoked.credential_id, issuer_did: own.did, reason: 'left' });
    const shown = await present(token, own, [kept.credential]);
    const wallet = await newWallet(token, 'only the owner knows this');
    await store(token, wallet, kept.credential, { folder: 'a folder in the wallet' });
    const { private_key } = await me.wallets.open({ wallet_id: wallet.wallet_id, password: wallet.password });
    const { secret, ...webhook } = await me.webhooks.create({ url: 'https://shop.example/', types: ['key.rotated'] });
    await until('all events are listed', async () => (await me.events.list()).events.length === 7);
    const tokens = [token, account.refresh_token, ended.token, ended.refresh_token];
    const contents = [kept.credential, revoked.credential, shown.presentation, 'of the subject', 'a folder in the'];
    const passwords = [account.password, wallet.password];
    const secrets = [...tokens, ...contents, ...passwords, api_key, own.private_key, private_key, secret];
    return { account, key_id, own, managed, configuration, kept, revoked, shown, wallet, webhook, secrets };
}

describe('the export of an account', () => {
    it('has all its objects with the fields that other calls show, and their numbers in its last line', async () => {
        const { account, key_id, own, managed, configuration, kept, revoked, shown, wallet, webhook } =
            await filledAccount();
        const me = service.as(account);
        const { lines } = await exported(account);

        const [head] = lines;
        assert.ok(head?.kind === 'export' && head.version === 1);
        assert.ok(Math.abs(Date.parse(head.exported_at) - Date.now()) < 300_000);
        const { stats: _, ...user } = await me.me.get();
        assert.deepEqual(ofKind(lines, 'user'), [{ kind: 'user', ...user }]);
        assert.equal(ofKind(lines, 'statistics')[0]?.credentials.total_issued, 2);
        assert.deepEqual(
            ofKind(lines, 'session').map(({ ended_at }) => ended_at !== undefined),
            [true, false],
        );
        const { keys } = await me.keys.list();
        assert.deepEqual(ofKind(lines, 'key'), [{ kind: 'key', ...keys[0] }]);
        assert.equal(keys[0]?.key_id, key_id);
        const dids = new Map(ofKind(lines, 'did').map(({ did, origin }) => [did, origin]));
        assert.deepEqual([dids.size, dids.get(own.did), dids.get(wallet.did)], [2, 'generated', 'wallet']);
        const issuer = await me.issuers.get({ issuer_id: managed.issuer_id });
        assert.deepEqual(ofKind(lines, 'issuer'), [{ kind: 'issuer', ...issuer }]);
        assert.deepEqual(ofKind(lines, 'configuration'), [{ kind: 'configuration', ...configuration }]);
        const credentials = new Map(ofKind(lines, 'credential').map((line) => [line.credential_id, line]));
        const { credential: __, ...recorded } = kept;
        assert.deepEqual(credentials.get(kept.credential_id), { kind: 'credential', ...recorded, revoked: false });
        assert.equal(credentials.get(revoked.credential_id)?.reason, 'left');
        const { presentation: ___, ...presentation } = shown;
        assert.deepEqual(ofKind(lines, 'presentation'), [{ kind: 'presentation', ...presentation }]);
        const { wallet_id, created_at } = wallet;
        assert.deepEqual(ofKind(lines, 'wallet'), [{ kind: 'wallet', wallet_id, created_at, contents: 'sealed' }]);
        assert.deepEqual(ofKind(lines, 'webhook'), [{ kind: 'webhook', ...webhook }]);
        const { events } = await me.events.list();
        assert.deepEqual(
            ofKind(lines, 'event'),
            events.map((event) => ({ kind: 'event', ...event })),
        );

        const end = lines.at(-1);
        assert.ok(end?.kind === 'end');
        const counted = lines.slice(1, -1).map(({ kind }) => kind);
        for (const [kind, count] of Object.entries(end.counts))
            assert.equal(count, counted.filter((other) => other === kind).length, kind);
        assert.equal(
            Object.values(end.counts).reduce((sum, count) => sum + count, 0),
            counted.length,
        );
    });

    it('has no password, token, private key or content of the account', async () => {
        const { account, secrets } = await filledAccount();
        const { text } = await exported(account);
        for (const secret of secrets) {
            assert.ok(secret.length >= 8);
            assert.ok(!text.includes(secret), secret);
        }
        assert.doesNotMatch(
            text,
            /argon2|v4\.public\.|eyJ|"(password|hash|token|api_key|private_key|secret|sealed)\w*":/,
        );
    });

    it('has everything of an account with several pages of objects, and nothing of others', async () => {
        const [account, other] = [await newAccount(), await newAccount()];
        const { api_key: token } = await newKey(account);
        const me = service.as({ token });
        await issue(other.token, await newDid(other.token));
        const issued: string[] = [];
        for (const rows of [1_000, 200]) {
            const { did: issuerDid, private_key: issuerPrivateKey } = await newDid(token);
            const items = Array.from({ length: rows }, (_, index) => ({
                subject_did: `did:web:subject-${index}.example`,
                credential_type: 'T',
                claims: {},
            }));
            const { results } = await me.credentials.batch.issue({
                issuer_did: issuerDid,
                issuer_private_key: issuerPrivateKey,
                items,
            });
            issued.push(...results.map((result) => ('credential_id' in result ? result.credential_id : assert.fail())));
        }
        await until('all events are listed', async () => {
            const { events } = await me.events.list({ after: 1_000, limit: 1_000 });
            return events.length === 201; // with that of the key
        });
        const { lines } = await exported(account);
        const credentials = ofKind(lines, 'credential').map(({ credential_id }) => credential_id);
        assert.deepEqual(credentials.toSorted(), issued.toSorted());
        assert.deepEqual(
            ofKind(lines, 'event').map(({ seq }) => seq),
            Array.from({ length: 1_201 }, (_, index) => index + 1),
        );
    });

    it('counts as one request, and has no body in the answer to HEAD', async () => {
        const { token } = await newAccount();
        const left = async (method: string) => {
            const { status, headers, text } = await send({ method, path: '/v1/me/export', token });
            assert.equal(status, 200);
            if (method === 'HEAD') assert.equal(text, '');
            return Number(headers.get('x-ratelimit-remaining'));
        };
        assert.equal((await left('GET')) - 1, await left('HEAD'));
    });

    it('needs a session: an API key and the internal secret are refused', async () => {
        const { api_key } = await newKey(await newAccount());
        for (const caller of [{}, { token: api_key }, { internal: true }])
            await expectError(401, { path: '/v1/me/export', ...caller });
    });
});
