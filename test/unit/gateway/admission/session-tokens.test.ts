import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sessionVerifier } from '../../../../gateway/admission/session-verifier.ts';
import type { Services } from '../../../../gateway/services.ts';
import { type CallContext, REQUEST_TIMEOUT_MS } from '../../../../platform/context.ts';
import { AppError } from '../../../../platform/errors.ts';
import { tokens } from '../../../../services/identity/tokens.ts';

/** The part of identity that a gateway uses to verify tokens. A test may replace `signer`. */
function identityWith(signer: ReturnType<typeof newSigner>) {
    const state = { signer, fetches: 0, contexts: [] as Array<Partial<CallContext>> };
    const listSigningKeys = async (_request: object, context: CallContext) => {
        state.fetches++;
        state.contexts.push(context);
        return { keys: [...state.signer.signingKeys] };
    };
    // The verifier calls nothing else of identity.
    return { state, identity: { listSigningKeys } as unknown as Services['identity'] };
}

function newSigner({ accessSeconds = 600 } = {}) {
    const keysPem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return tokens({ keysPem, accessSeconds, refreshSeconds: 600, clock: Date.now });
}

function issue(signer: ReturnType<typeof newSigner>) {
    const sessionId = randomUUID();
    const subject = { user_id: randomUUID(), email: 'a@example.com', tier: 'free', session_id: sessionId } as const;
    return { ...signer.issue(subject), session_id: sessionId };
}

it('a token is verified with the keys that identity lists, which are fetched when the first token needs them', async () => {
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionVerifier({ identity, clock: Date.now });
    const [first, second] = [issue(state.signer), issue(state.signer)];
    assert.equal(state.fetches, 0);
    assert.equal(await verify(first.token), first.session_id);
    assert.equal(await verify(second.token), second.session_id);
    assert.equal(await verify(first.refresh_token), undefined);
    assert.equal(state.fetches, 1);
});

it('a token that was verified before is refused from its exp on', async (t) => {
    let now = Date.now();
    t.mock.method(Date, 'now', () => now);
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionVerifier({ identity, clock: () => Date.now() });
    const { token, session_id } = issue(state.signer);
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    assert.equal(await verify(token), session_id);
    now = exp * 1_000 - 1;
    assert.equal(await verify(token), session_id);
    now = exp * 1_000;
    assert.equal(await verify(token), undefined);
});

it('a key that identity no longer lists is refused within a minute, although no token names a new key', async (t) => {
    const clock = { now: 100_000 };
    t.mock.method(performance, 'now', () => clock.now);
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionVerifier({ identity, clock: () => Date.now() });
    const { token, session_id } = issue(state.signer);
    assert.equal(await verify(token), session_id);
    state.signer = newSigner();
    clock.now += 59_999;
    assert.equal(await verify(token), session_id);
    clock.now += 1;
    await verify(token);
    await delay(0);
    assert.equal(await verify(token), undefined);
    assert.equal(state.fetches, 2);
});

it('a text that is no token, or a bad signature, causes no further fetch of keys', async (t) => {
    const clock = { now: 10_000 };
    t.mock.method(performance, 'now', () => clock.now);
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionVerifier({ identity, clock: () => Date.now() });
    const { token } = issue(state.signer);
    await verify(token);
    assert.equal(state.fetches, 1);
    clock.now += 30_000;
    const [head, payload] = token.split('.');
    for (const bad of ['x', '', `${head}.${payload}.${'A'.repeat(86)}`]) assert.equal(await verify(bad), undefined);
    assert.equal(state.fetches, 1);
});

it('the gateway fetches keys as a trusted caller, with the timeout of a request', async (t) => {
    t.mock.method(performance, 'now', () => 10_000);
    const { state, identity } = identityWith(newSigner());
    await sessionVerifier({ identity, clock: () => Date.now() }).verify(issue(state.signer).token);
    const { trusted, deadline, user_id, request_id } = state.contexts[0] ?? {};
    assert.deepEqual([trusted, deadline, user_id], [true, 10_000 + REQUEST_TIMEOUT_MS, undefined]);
    assert.ok(request_id);
});

it('a token that was verified before is refused after its key has been replaced', async () => {
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionVerifier({ identity, clock: Date.now });
    const old = issue(state.signer);
    assert.equal(await verify(old.token), old.session_id);
    state.signer = newSigner();
    const next = issue(state.signer);
    const giveUp = performance.now() + 10_000;
    while ((await verify(next.token)) !== next.session_id) {
        assert.ok(performance.now() < giveUp, 'the new key is never fetched');
        await delay(20);
    }
    assert.equal(await verify(old.token), undefined);
});

it('tokens with unknown keys cause at most one fetch of keys per second', async () => {
    const { state, identity } = identityWith(newSigner());
    const { verify } = sessionVerifier({ identity, clock: Date.now });
    const strangers = Array.from({ length: 50 }, () => issue(newSigner()).token);
    for (const token of strangers) assert.equal(await verify(token), undefined);
    await Promise.all(strangers.map((token) => verify(token)));
    assert.equal(state.fetches, 1);
});

it('while identity fails, tokens with unknown keys get its error, and cause at most one fetch of keys per second', async (t) => {
    const clock = { now: 10_000 };
    t.mock.method(performance, 'now', () => clock.now);
    const { state, identity } = identityWith(newSigner());
    const failing = { isAway: true, asked: 0 };
    const listSigningKeys: typeof identity.listSigningKeys = async (request, context) => {
        failing.asked++;
        if (failing.isAway) throw new AppError('unavailable', 'It is away.', { retry_after: 1, reason: undefined });
        return identity.listSigningKeys(request, context);
    };
    const { verify } = sessionVerifier({ identity: { ...identity, listSigningKeys }, clock: () => Date.now() });
    const { token, session_id } = issue(state.signer);
    for (let call = 0; call < 20; call++) await assert.rejects(verify(token), { kind: 'unavailable' });
    assert.equal(failing.asked, 1);
    failing.isAway = false;
    clock.now += 999;
    await assert.rejects(verify(token), { kind: 'unavailable' });
    clock.now += 1;
    assert.equal(await verify(token), session_id);
    assert.equal(failing.asked, 2);
});

it('a token that was verified before is refused from its exp on, by the real clock', async () => {
    const { state, identity } = identityWith(newSigner({ accessSeconds: 1 }));
    const { verify } = sessionVerifier({ identity, clock: Date.now });
    const { token } = issue(state.signer);
    const exp = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).exp * 1_000;
    for (let verified = await verify(token); Date.now() < exp; verified = await verify(token)) {
        if (Date.now() < exp) assert.ok(verified);
        await delay(20);
    }
    assert.equal(await verify(token), undefined);
});
