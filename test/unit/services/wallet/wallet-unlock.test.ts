import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { GuardTarget } from '../../../../platform/access/guard.ts';
import type { CallContext } from '../../../../platform/context.ts';
import type { WalletRow } from '../../../../services/wallet/rows.ts';
import type { WalletStore } from '../../../../services/wallet/store.ts';
import { lock, requirePassword, type UnlockDependencies, unlocked } from '../../../../services/wallet/unlock.ts';
import { deriveKey, type PasswordCost } from '../../../../workers/crypto/password.ts';
import type { Passwords } from '../../../../workers/crypto/passwords.ts';
import { newKey } from '../../../../workers/crypto/seal.ts';
import { testContext } from '../../../support/context.ts';

const COST: PasswordCost = { memory_kib: 8, passes: 1 };
const PASSWORD = 'open sesame';
const WIPED = Buffer.alloc(32);
const NO_BYTES = Buffer.alloc(0);

function storeOf(row: WalletRow, seen: { found: number; relocked: number }): WalletStore {
    const store = {
        async find(wallet: string) {
            seen.found++;
            return wallet === row.id ? { ...row } : undefined;
        },
        async relock(wallet: string, changes: Partial<WalletRow>) {
            assert.equal(wallet, row.id);
            seen.relocked++;
            Object.assign(row, changes);
        },
    };
    return store as unknown as WalletStore; // nothing else of the store is used
}

/** A store with one wallet, which is locked at `COST`. Keys are derived from passwords in this thread. */
async function setUp(account: string | null = null) {
    const seen = { derived: [] as Uint8Array[], targets: [] as GuardTarget[], found: 0, relocked: 0 };
    const passwords = {
        async derive(password, salt, cost) {
            const key = new Uint8Array(32);
            deriveKey(key, password, salt, cost);
            seen.derived.push(key);
            return key;
        },
    } as Passwords; // nothing else of the pool is used
    const dataKey = newKey();
    const id = randomUUID();
    const locked = await lock(
        { passwords, cost: COST },
        { wallet: id, password: PASSWORD, data_key: dataKey },
        testContext(),
    );
    const row: WalletRow = { id, account, created_at: '', private_key: NO_BYTES, profile: NO_BYTES, ...locked };
    const store = storeOf(row, seen);
    const guard: UnlockDependencies['guard'] = {
        attempt(target, verify) {
            seen.targets.push(target);
            return verify();
        },
    };
    const nobody = testContext({ trusted: true, user_id: undefined });
    /** Unlocks the wallet. Returns a copy of its data key. */
    const open = (
        options: { wallet_id?: string; password?: string; cost?: PasswordCost; context?: CallContext } = {},
    ) =>
        unlocked(
            { store, passwords, cost: options.cost ?? COST, guard },
            { wallet_id: options.wallet_id ?? id, password: options.password ?? PASSWORD },
            options.context ?? nobody,
            async (_wallet, key) => Buffer.from(key),
        );
    return {
        open,
        seen,
        row,
        id,
        data_key: dataKey,
        dependencies: { store, passwords, cost: COST, guard },
        nobody,
    };
}

describe('a password of a wallet', () => {
    const accepted = ['x', ' ', 'x'.repeat(1_024), '€'.repeat(341), '😀'];
    for (const password of accepted) {
        it(`may be ${JSON.stringify(password.slice(0, 4))}, ${Buffer.byteLength(password)} bytes`, () => {
            requirePassword(password);
        });
    }

    const refused = ['', 'x'.repeat(1_025), '€'.repeat(342), 'a\0b', 'a\ud800b'];
    for (const password of refused) {
        it(`may not be ${JSON.stringify(password.slice(0, 4))}, ${Buffer.byteLength(password)} bytes`, () => {
            assert.throws(() => requirePassword(password), {
                kind: 'invalid',
                detail: 'password must have 1 to 1024 bytes, without NUL or lone surrogates.',
            });
        });
    }
});

describe('a wallet', () => {
    it('gives its data key to a caller with the password, and wipes all keys afterwards', async () => {
        const { dependencies, id, data_key, nobody, seen } = await setUp();
        let given = new Uint8Array();
        const result = await unlocked(dependencies, { wallet_id: id, password: PASSWORD }, nobody, async (row, key) => {
            assert.deepEqual(key, data_key);
            assert.equal(row.id, id);
            given = key as typeof given; // never shared memory
            return 'done';
        });
        assert.equal(result, 'done');
        assert.deepEqual(given, WIPED);
        for (const key of seen.derived) assert.deepEqual(Buffer.from(key), WIPED);
        assert.equal(seen.derived.length, 2);
    });

    it('wipes its data key if the work on the open wallet fails', async () => {
        const { dependencies, id, nobody } = await setUp();
        let given: Uint8Array = Buffer.alloc(0);
        const opening = unlocked(dependencies, { wallet_id: id, password: PASSWORD }, nobody, async (_row, key) => {
            given = key;
            throw new Error('no use');
        });
        await assert.rejects(opening, /no use/);
        assert.deepEqual(given, WIPED);
    });

    it('does not open with a wrong password, and wipes the key derived from it', async () => {
        const { open, seen } = await setUp();
        const wrong = { kind: 'unauthenticated', detail: 'The wallet password is wrong.' };
        await assert.rejects(open({ password: 'open barley' }), wrong);
        for (const key of seen.derived) assert.deepEqual(Buffer.from(key), WIPED);
    });

    it('counts attempts by wallet and address', async () => {
        const { open, seen, id } = await setUp();
        const traceparent = '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01';
        const context = testContext({ trusted: true, user_id: undefined, address: '203.0.113.9', traceparent });
        await open({ context });
        const { address, deadline, cancellation } = context;
        const target = { subject: `wallet:${id}`, address, traceparent, deadline, cancellation };
        assert.deepEqual(seen.targets, [target]);
    });

    it('is locked with a new salt each time', async () => {
        const [one, other] = [await setUp(), await setUp()];
        assert.equal(one.row.salt.length, 16);
        assert.notDeepEqual(one.row.salt, other.row.salt);
    });
});

describe('the lock of a wallet', () => {
    for (const cost of [
        { memory_kib: 16, passes: 1 },
        { memory_kib: 8, passes: 2 },
    ]) {
        it(`is renewed at ${cost.memory_kib} KiB and ${cost.passes} passes, and opens with the same password`, async () => {
            const { open, row, data_key, seen } = await setUp();
            const before = { ...row };
            assert.deepEqual(await open({ cost }), data_key);
            assert.equal(seen.relocked, 1);
            assert.deepEqual([row.memory_kib, row.passes], [cost.memory_kib, cost.passes]);
            assert.notDeepEqual(row.salt, before.salt);
            assert.deepEqual(await open({ cost }), data_key);
            assert.equal(seen.relocked, 1, 'the lock is not renewed again');
            for (const key of seen.derived) assert.deepEqual(Buffer.from(key), WIPED);
        });
    }

    it('stays unchanged if it has the current cost', async () => {
        const { open, seen } = await setUp();
        await open();
        assert.equal(seen.relocked, 0);
    });
});

describe('the owner of a wallet', () => {
    const absent = { kind: 'not_found', detail: 'This wallet does not exist.' };
    const owner = randomUUID();
    const by = (changes: Partial<CallContext>) => ({ context: testContext(changes) });

    it('may open it, and so may a trusted caller for the owner or for no account', async () => {
        const { open, data_key } = await setUp(owner);
        assert.deepEqual(await open(by({ user_id: owner })), data_key);
        assert.deepEqual(await open(by({ user_id: owner, trusted: true })), data_key);
        assert.deepEqual(await open(by({ user_id: undefined, trusted: true })), data_key);
    });

    it('is not revealed to other callers, trusted or not, and no password is tried', async () => {
        const { open, seen } = await setUp(owner);
        for (const trusted of [false, true]) await assert.rejects(open(by({ trusted })), absent);
        await assert.rejects(open({ wallet_id: randomUUID() }), absent);
        assert.deepEqual(seen.targets, []);
    });

    it('may be missing, and then only a trusted caller for no account may open it', async () => {
        const { open, data_key } = await setUp(null);
        await assert.rejects(open(by({})), absent);
        await assert.rejects(open(by({ trusted: true })), absent);
        await assert.rejects(open(by({ user_id: undefined })), { kind: 'unauthenticated' });
        assert.deepEqual(await open(), data_key);
    });

    it('is not looked up if the wallet id is invalid', async () => {
        const { open, seen } = await setUp();
        await assert.rejects(open({ wallet_id: 'x' }), absent);
        assert.equal(seen.found, 0);
    });
});
