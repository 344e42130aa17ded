import { after } from 'node:test';
import { guard } from '../../../platform/access/guard.ts';
import type { CallContext } from '../../../platform/context.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { WalletServiceDefinition } from '../../../proto/gen/wallet/v1/wallet.ts';
import { continuations } from '../../../services/wallet/continuation.ts';
import type { WalletQuotas } from '../../../services/wallet/quotas.ts';
import { walletService } from '../../../services/wallet/service.ts';
import { walletStore } from '../../../services/wallet/store.ts';
import type { PasswordCost } from '../../../workers/crypto/password.ts';
import { passwordPool } from '../../../workers/crypto/passwords.ts';
import { poolMetrics } from '../../../workers/crypto/pool-metrics.ts';
import { quiet, testContext, testRedis } from '../../support/harness.ts';
import {
    newParty,
    type Party,
    reached,
    requestBy,
    startServices,
    testCursors,
} from '../credentials/credentials.fixture.ts';
import { underClock } from '../redis/script-clock.ts';
import { AMPLE } from '../services/ample.ts';

export const CHEAP: PasswordCost = { memory_kib: 64, passes: 1 };
export const PASSWORD = 'open sesame';

const AMPLE_QUOTAS: WalletQuotas = { wallets: AMPLE, credentials: AMPLE, bytes: AMPLE };

/** A call that is about rules: a busy machine may take as long for it as for a test file. */
const patientContext = () => testContext({ deadline: performance.now() + 300_000 });

/** The wallet service, and those that give it something to hold, on a database of their own. */
export async function startWallets() {
    const { db, did, signatures, credentials, time } = await startServices();
    const redis = await testRedis();
    const pool = passwordPool({ threads: 1, cost: CHEAP, max_waiting: 1_000, metrics: poolMetrics(createMetrics()) });
    after(() => pool.close());
    const derived: Uint8Array[] = [];
    const started = Date.now(); // for the guard time stands still: however slow the machine is, no wait passes
    const clock = () => Date.now() + time.ahead_ms;
    const open = (
        cost = CHEAP,
        services = { did },
        quotas: WalletQuotas = AMPLE_QUOTAS,
    ): ServiceOf<typeof WalletServiceDefinition> =>
        reached(
            WalletServiceDefinition,
            walletService({
                store: walletStore(db),
                signatures,
                passwords: {
                    ...pool,
                    async derive(...parameters) {
                        const key = await pool.derive(...parameters);
                        derived.push(key);
                        return key;
                    },
                },
                cost,
                guard: guard({ redis: underClock(redis, () => started), shards: 1, log: quiet }),
                services,
                cursors: testCursors,
                quotas,
                continuations: continuations(['the service token of these tests'], clock),
                clock,
            }),
        );
    const wallets = open();

    /** A new wallet, and how its owner names it. */
    async function newWallet(context: CallContext = patientContext(), password = PASSWORD) {
        const made = await wallets.create({ name: 'wallet', password }, context);
        return { made, context, access: { wallet_id: made.wallet_id, password } };
    }
    return { db, did, signatures, credentials, time, wallets, open, newWallet, derived, issuer: await newParty(did) };
}

export type Wallets = Awaited<ReturnType<typeof startWallets>>;

/** A credential's id and token. */
export async function issue(
    { credentials }: Pick<Wallets, 'credentials'>,
    issuer: Party,
    changes: Parameters<typeof requestBy>[1] = {},
) {
    const { credential_id, credential } = await credentials.issue(requestBy(issuer, changes), issuer.context);
    return { credential_id, credential };
}
