import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sessionTokens } from '../../../../gateway/admission/session-tokens.ts';
import type { Services } from '../../../../gateway/services.ts';
import { type CallContext, REQUEST_TIMEOUT_MS } from '../../../../platform/context.ts';
import { tokens } from '../../../../services/identity/tokens.ts';

/** Identity as far as a gateway's check of tokens knows it; `signer` may be replaced. */
function identityWith(signer: ReturnType<typeof newSigner>) {
    const state = { signer, fetches: 0, contexts: [] as Array<Partial<CallContext>> };
    const listSigningKeys = async (_request: object, context: CallContext) => {
        state.fetches++;
        state.contexts.push(context);
        return { keys: [...state.signer.signing_keys] };
    };
    return { state, identity: { listSigningKeys } as unknown as Services['identity'] }; // nothing else of it is called
}

function newSigner({ access_seconds = 600 } = {}) {
    const keys_pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return tokens({ keys_pem, access_seconds, refresh_seconds: 600, clock: Date.now });
}

function issue(signer: ReturnType<typeof newSigner>) {
    const session_id = randomUUID();
    const subject = { user_id: randomUUID(), email: 'a@example.com', tier: 'free', session_id } as const;
    return { ...signer.issue(subject), session_id };
}

it('a token is checked with the keys that identity lists, which are fetched when a token first needs them', async () => {
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionTokens({ identity, clock: Date.now });
    const [first, second] = [issue(state.signer), issue(state.signer)];
    assert.equal(state.fetches, 0);
    assert.equal(await verify(first.token), first.session_id);
    assert.equal(await verify(second.token), second.session_id);
    assert.equal(await verify(first.refresh_token), undefined);
    assert.equal(state.fetches, 1);
});

it('a token that was verified is refused from its exp on', async (t) => {
    let now = Date.now();
    t.mock.method(Date, 'now', () => now);
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionTokens({ identity, clock: () => Date.now() });
    const { token, session_id } = issue(state.signer);
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    assert.equal(await verify(token), session_id);
    now = exp * 1_000 - 1;
    assert.equal(await verify(token), session_id);
    now = exp * 1_000;
    assert.equal(await verify(token), undefined);
});

it('what is no token, or is badly signed, makes nobody fetch keys again', async (t) => {
    const clock = { now: 10_000 };
    t.mock.method(performance, 'now', () => clock.now);
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionTokens({ identity, clock: () => Date.now() });
    const { token } = issue(state.signer);
    await verify(token);
    assert.equal(state.fetches, 1);
    clock.now += 60_000;
    const [head, payload] = token.split('.');
    for (const bad of ['x', '', `${head}.${payload}.${'A'.repeat(86)}`]) assert.equal(await verify(bad), undefined);
    assert.equal(state.fetches, 1);
});

it('the gateway asks for keys by itself, with the time of a call', async (t) => {
    t.mock.method(performance, 'now', () => 10_000);
    const { state, identity } = identityWith(newSigner());
    await sessionTokens({ identity, clock: () => Date.now() }).verify(issue(state.signer).token);
    const { trusted, deadline, user_id, request_id } = state.contexts[0] ?? {};
    assert.deepEqual([trusted, deadline, user_id], [true, 10_000 + REQUEST_TIMEOUT_MS, undefined]);
    assert.ok(request_id);
});

it('when a key has been replaced, what it has signed is refused, though it had been verified before', async () => {
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionTokens({ identity, clock: Date.now });
    const old = issue(state.signer);
    assert.equal(await verify(old.token), old.session_id);
    state.signer = newSigner();
    const next = issue(state.signer);
    const give_up = performance.now() + 10_000;
    while ((await verify(next.token)) !== next.session_id) {
        assert.ok(performance.now() < give_up, 'the new key is never fetched');
        await delay(20);
    }
    assert.equal(await verify(old.token), undefined);
});

it('tokens under unknown keys make no more than one fetch a second', async () => {
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionTokens({ identity, clock: Date.now });
    const strangers = Array.from({ length: 50 }, () => issue(newSigner()).token);
    for (const token of strangers) assert.equal(await verify(token), undefined);
    await Promise.all(strangers.map((token) => verify(token)));
    assert.equal(state.fetches, 1);
});

it('a token that was verified is refused from its exp on', async () => {
    const { state, identity } = identityWith(newSigner({ access_seconds: 1 }));
    const { verify } = sessionTokens({ identity, clock: Date.now });
    const { token } = issue(state.signer);
    const exp = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).exp * 1_000;
    for (let verified = await verify(token); Date.now() < exp; verified = await verify(token)) {
        if (Date.now() < exp) assert.ok(verified);
        await delay(20);
    }
    assert.equal(await verify(token), undefined);
});
