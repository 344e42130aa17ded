import assert from 'node:assert/strict';
import { expectOk } from '../../../e2e/support/client.ts';
import { afterwards, type Made, race, serialOrder, together } from '../../../e2e/support/races.ts';
import { issue, newAccount, newDid, newKey, newWallet } from '../../../e2e/support/world.ts';

/** Creates an API key and an issuer. Each round has its own key, so that rounds do not use up a shared limit. */
async function newIssuer() {
    const { api_key: token } = await newKey(await newAccount());
    return { token, issuer: await newDid(token) };
}

/**
 * Maximum number of callers of one wallet. Each call derives a key from the password and waits for the wallet's row, so on
 * a slow machine the last of 50 calls would reach the time limit of a request.
 */
const MOST_OF_WALLET = 20;

interface Entry {
    credential_id: string;
    stored_at: string;
    metadata: { at: number };
}

interface Revocation {
    revoked_at: string;
    reason: string;
}

race('all revocations of one credential return the first one, and reads agree', 10, async (callers, dice) => {
    const { token, issuer } = await newIssuer();
    const { credential_id, credential } = await issue(token, issuer);
    const revokes = Array.from({ length: callers }, (_, at) => ({
        method: 'POST',
        path: `/v1/credentials/revoke/${credential_id}`,
        token,
        body: { issuer_did: issuer.did, reason: `reason ${at}` },
    }));
    const status = { path: `/v1/credentials/status/${credential_id}`, token };
    const reads = Array.from({ length: callers }, () => status);
    const made = await together([...revokes, ...reads], dice);

    const end = serialOrder<Revocation | null>(made, null, (state, { call, answer }) => {
        const { revoked, revoked_at, reason } = answer.data;
        if (call === status)
            return revoked === (state !== null) && revoked_at === state?.revoked_at ? state : undefined;
        if (state) return revoked_at === state.revoked_at && reason === state.reason ? state : undefined;
        const own = (call.body as Revocation).reason; // the call is a revocation
        return reason === own ? { revoked_at, reason } : undefined;
    });
    for (const gateway of [0, 1]) {
        const { revoked_at, reason } = await expectOk(200, { ...status, gateway });
        assert.deepEqual({ revoked_at, reason }, end);
        const body = { credential, issuer_did: issuer.did, check_revocation: true };
        const checked = await expectOk(200, { method: 'POST', path: '/v1/credentials/verify', token, body, gateway });
        assert.deepEqual([checked.valid, checked.revoked], [false, true]);
    }
});

race('storing and deleting one credential in a wallet has a serial order', 10, async (most, dice) => {
    const callers = Math.min(most, MOST_OF_WALLET);
    const { token, issuer } = await newIssuer();
    const { wallet_id, password } = await newWallet(token);
    const { credential_id, credential } = await issue(token, issuer);
    const path = `/v1/wallets/${wallet_id}/credentials`;
    const calls = Array.from({ length: callers }, (_, at) =>
        at % 2 === 0
            ? { method: 'POST', path, token, body: { password, credential, metadata: { at } } }
            : { method: 'DELETE', path: `${path}/${credential_id}`, token, body: { password } },
    );
    const made = await together(calls, dice);

    const list = { path, token, headers: { 'X-Wallet-Password': password } };
    const last = await afterwards(list, dice);
    const entryOf = ({ answer }: Made): Entry | undefined =>
        answer.data.credentials.find((entry: Entry) => entry.credential_id === credential_id);

    const gone = '';
    serialOrder([...made, last], gone, (state, one) => {
        const { call, answer } = one;
        if (call === list) return (entryOf(one)?.stored_at ?? gone) === state ? state : undefined;
        if (answer.status === 404) return call.method === 'DELETE' && state === gone ? gone : undefined;
        if (answer.status === 200) return call.method === 'DELETE' && state !== gone ? gone : undefined;
        return state === gone || answer.data.stored_at === state ? answer.data.stored_at : undefined;
    });
    const entry = entryOf(last);
    if (!entry) return;
    // Its metadata come from a call that stored this entry, and no other such call began after that one had ended.
    const stores = made.filter(({ answer }) => answer.data?.stored_at === entry.stored_at);
    const writer = stores.find(({ call }) => call === calls[entry.metadata.at]);
    assert.ok(writer);
    assert.ok(stores.every(({ began }) => began <= writer.ended));
});

race('a wallet loses no credential stored and keeps no credential deleted at the same time', 10, async (most, dice) => {
    const callers = Math.min(most, MOST_OF_WALLET);
    const { token, issuer } = await newIssuer();
    const { wallet_id, password } = await newWallet(token);
    const path = `/v1/wallets/${wallet_id}/credentials`;
    const issued = await Promise.all(Array.from({ length: callers }, () => issue(token, issuer)));
    const half = issued.length >> 1;
    const add = ({ credential }: { credential: string }) => ({
        method: 'POST',
        path,
        token,
        body: { password, credential },
    });
    await Promise.all(issued.slice(0, half).map((one) => expectOk(201, add(one))));
    const made = await together(
        issued.map((one, at) =>
            at < half
                ? { method: 'DELETE', path: `${path}/${one.credential_id}`, token, body: { password } }
                : add(one),
        ),
        dice,
    );
    for (const { answer, call } of made) assert.equal(answer.status, call.method === 'POST' ? 201 : 200);
    const { credentials, total } = await expectOk(200, { path, token, headers: { 'X-Wallet-Password': password } });
    const ids = credentials.map((entry: { credential_id: string }) => entry.credential_id);
    assert.deepEqual(new Set(ids), new Set(issued.slice(half).map(({ credential_id }) => credential_id)));
    assert.equal(total, issued.length - half);
});
