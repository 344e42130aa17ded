import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallContext } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { testContext } from '../../support/harness.ts';
import { nextMillisecond } from '../../support/until.ts';
import { counted, internalContext, refuses } from '../credentials/credentials.fixture.ts';
import { issue, startWallets, WHOLE } from './wallet.fixture.ts';

const services = await startWallets();
const { db, time, wallets, newWallet, idsIn, issuer } = services;

const storedBy = ({ user_id }: CallContext) => counted(db, user_id ?? null, 'wallet_credentials');

test('a credential that is stored again stays one entry, with the newest metadata and the first time', async () => {
    const { access, context } = await newWallet();
    const { credential } = await issue(services, issuer);
    const first = await wallets.addCredential({ ...access, credential, metadata: '{"n":1}' }, context);
    time.aheadMs = 60_000;
    const second = await wallets.addCredential({ ...access, credential, metadata: '{"n":2}' }, context);
    time.aheadMs = 0;
    assert.deepEqual(second, first);
    const held = await wallets.listCredentials({ ...access, ...WHOLE }, context);
    assert.deepEqual([held.total, held.credentials[0]?.metadata], [1, '{"n":2}']);
    await wallets.addCredential({ ...access, credential }, context);
    assert.equal((await wallets.listCredentials({ ...access, ...WHOLE }, context)).credentials[0]?.metadata, undefined);
    assert.equal(await storedBy(context), 1);
});

test('a credential that 20 callers store at once is one entry with one time', async () => {
    const { access, context } = await newWallet();
    const { credential } = await issue(services, issuer);
    const stored = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
            wallets.addCredential({ ...access, credential, metadata: `{"n":${n}}` }, context),
        ),
    );
    assert.equal(new Set(stored.map(({ stored_at }) => stored_at)).size, 1);
    assert.equal((await idsIn(access, context)).length, 1);
    assert.equal(await storedBy(context), 1);
});

test('many credentials that are stored at once are all kept', async () => {
    const { access, context } = await newWallet();
    const issued = await Promise.all(Array.from({ length: 40 }, () => issue(services, issuer)));
    await Promise.all(issued.map(({ credential }) => wallets.addCredential({ ...access, credential }, context)));
    const expected = issued.map(({ credential_id }) => credential_id).sort();
    assert.deepEqual((await idsIn(access, context)).sort(), expected);
    assert.equal(await storedBy(context), 40);
});

test('exactly one of many concurrent deletions of a credential succeeds', async () => {
    const { access, context } = await newWallet();
    const { credential, credential_id } = await issue(services, issuer);
    await wallets.addCredential({ ...access, credential }, context);
    const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => wallets.deleteCredential({ ...access, credential_id }, context)),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes) {
        if (outcome.status === 'rejected') assert.equal((outcome.reason as AppError).kind, 'not_found');
    }
    assert.deepEqual(await idsIn(access, context), []);
    assert.equal(await storedBy(context), 0);
});

test('after a credential is stored and deleted at once, the wallet and the counts agree with the answers', async () => {
    const { access, context } = await newWallet();
    const { credential, credential_id } = await issue(services, issuer);
    let wasThere = false;
    for (let round = 0; round < 200; round++) {
        const [, deleted] = await Promise.allSettled([
            wallets.addCredential({ ...access, credential }, context),
            wallets.deleteCredential({ ...access, credential_id }, context),
        ]);
        const isThere = (await idsIn(access, context)).length === 1;
        // Either it was stored and then deleted, or deleted (if it was there) and then stored.
        if (deleted.status === 'rejected') assert.deepEqual([wasThere, isThere], [false, true], `round ${round}`);
        else assert.ok(wasThere || !isThere, `round ${round}`);
        wasThere = isThere;
    }
    assert.equal(await storedBy(context), wasThere ? 1 : 0);
});

test('wallets and their credentials count for the owner of the wallet, whoever makes the call', async () => {
    const { access, context } = await newWallet();
    await newWallet(context);
    const { credential, credential_id } = await issue(services, issuer);
    await wallets.addCredential({ ...access, credential }, internalContext());
    assert.equal(await counted(db, context.user_id ?? null, 'wallets'), 2);
    assert.equal(await counted(db, context.user_id ?? null, 'dids_created'), 0);
    assert.equal(await storedBy(context), 1);
    await wallets.deleteCredential({ ...access, credential_id }, internalContext());
    assert.equal(await storedBy(context), 0);
    const before = await counted(db, null, 'wallets');
    await newWallet(internalContext());
    assert.equal(await counted(db, null, 'wallets'), before + 1);
});

test('lists are newest first, and their pages have no gaps or repetitions', async () => {
    const { access, context } = await newWallet();
    const stored: string[] = [];
    for (let n = 0; n < 7; n++) {
        const { credential, credential_id } = await issue(services, issuer);
        await wallets.addCredential({ ...access, credential, metadata: `{"n":${n}}` }, context);
        stored.unshift(credential_id);
        await nextMillisecond();
    }
    const whole = await wallets.listCredentials({ ...access, ...WHOLE }, context);
    assert.deepEqual(
        whole.credentials.map(({ credential_id }) => credential_id),
        stored,
    );
    assert.deepEqual([whole.total, whole.next_cursor], [7, undefined]);
    assert.ok(whole.credentials.every(({ credential }) => credential === undefined));

    const paged: string[] = [];
    let cursor: string | undefined;
    do {
        const request = { ...access, limit: 3, cursor, with_total: true, with_tokens: false };
        const page = await wallets.listCredentials(request, context);
        assert.equal(page.total, 7);
        paged.push(...page.credentials.map(({ credential_id }) => credential_id));
        ({ next_cursor: cursor } = page);
    } while (cursor !== undefined);
    assert.deepEqual(paged, stored);
});

test('pages of large credentials stay below 2 MiB, also when a wallet is opened', async () => {
    const { access, context } = await newWallet();
    const claims = JSON.stringify({ essay: 'x'.repeat(60_000) });
    for (let n = 0; n < 30; n++) {
        const { credential } = await issue(services, issuer, { claims });
        await wallets.addCredential({ ...access, credential }, context);
    }
    const opened = await wallets.open(access, context);
    const pages = [opened.credentials];
    for (let cursor = opened.credentials?.next_cursor; cursor !== undefined; ) {
        const page = await wallets.listCredentials({ ...access, ...WHOLE, cursor, with_tokens: true }, context);
        pages.push(page);
        cursor = page.next_cursor;
    }
    assert.ok(pages.length > 1);
    const tokens = pages.flatMap((page) => page?.credentials.map(({ credential }) => credential ?? '') ?? []);
    assert.deepEqual([tokens.length, new Set(tokens).size], [30, 30]);
    for (const page of pages) {
        assert.ok((page?.credentials ?? []).reduce((sum, { credential = '' }) => sum + credential.length, 0) < 2 << 20);
    }
});

test('each page of a list needs the password', async () => {
    const { access, context } = await newWallet();
    for (let n = 0; n < 2; n++) {
        const { credential } = await issue(services, issuer);
        await wallets.addCredential({ ...access, credential }, context);
    }
    const request = { ...access, limit: 1, with_total: true, with_tokens: true };
    const { next_cursor: cursor, credentials: first } = await wallets.listCredentials(request, context);
    const next = { ...request, cursor };
    await refuses('unauthenticated', wallets.listCredentials({ ...next, password: 'wrong' }, context));
    const { credentials: second } = await services.open().listCredentials(next, context);
    assert.equal(new Set([...first, ...second].map(({ credential_id }) => credential_id)).size, 2);
});

test('after ten wrong passwords from an address the right one must wait there, but only for that wallet', async () => {
    const { access, context } = await newWallet();
    const wrong = { ...access, password: 'wrong' };
    for (let n = 0; n < 10; n++) await refuses('unauthenticated', wallets.open(wrong, context));
    const refusal = await wallets.open(access, context).catch((error) => error);
    assert.ok(refusal instanceof AppError && refusal.kind === 'rate_limited' && (refusal.retry_after ?? 0) >= 1);
    await wallets.open(access, { ...context, address: '192.0.2.7' });
    const other = await newWallet(context);
    await wallets.open(other.access, context);
});

test('a right password clears the earlier failures, and concurrent right passwords are all served', async () => {
    const { access, context } = await newWallet(testContext({ address: '192.0.2.8' }));
    for (let round = 0; round < 3; round++) {
        for (let n = 0; n < 9; n++) {
            await refuses('unauthenticated', wallets.open({ ...access, password: 'wrong' }, context));
        }
        await wallets.open(access, context);
    }
    await Promise.all(Array.from({ length: 30 }, () => wallets.open(access, context)));
});
