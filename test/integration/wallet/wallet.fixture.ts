import { after } from 'node:test';
import { guard } from '../../../platform/access/guard.ts';
import type { CallContext } from '../../../platform/context.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { WalletServiceDefinition } from '../../../proto/gen/wallet/v1/wallet.ts';
import type { WalletQuotas } from '../../../services/wallet/quotas.ts';
import { walletService } from '../../../services/wallet/service.ts';
import { walletStore } from '../../../services/wallet/store.ts';
import type { PasswordCost } from '../../../workers/crypto/password.ts';
import { passwordPool } from '../../../workers/crypto/passwords.ts';
import { poolMetrics } from '../../../workers/crypto/pool-metrics.ts';
import { testContext, testRedis } from '../../support/harness.ts';
import { newParty, type Party, requestBy, startServices } from '../credentials/credentials.fixture.ts';
import { NO_QUOTA } from '../services/ample.ts';
import { reached, testCursors } from '../services/reached.ts';

export const CHEAP: PasswordCost = { memory_kib: 64, passes: 1 };
export const PASSWORD = 'open sesame';

/** The fields of a request for the longest page, with the total and without tokens. */
export const WHOLE = { limit: 1_000, with_total: true, with_tokens: false };

const AMPLE_QUOTAS: WalletQuotas = { wallets: NO_QUOTA, credentials: NO_QUOTA, bytes: NO_QUOTA };

/** A context with a long deadline, so that a slow machine does not fail tests that are about rules. */
const patientContext = () => testContext({ deadline: performance.now() + 300_000 });

/** Starts the wallet service, and the services that it needs or that issue credentials, on a new database. */
export async function startWallets() {
    const { db, did, signing, signatures, credentials, time, idempotency } = await startServices();
    const redis = await testRedis();
    const pool = passwordPool({ threads: 1, cost: CHEAP, maxWaiting: 1_000, metrics: poolMetrics(createMetrics()) });
    after(() => pool.close());
    const derived: Uint8Array[] = [];
    const clock = () => Date.now() + time.aheadMs;
    const open = (
        cost = CHEAP,
        services = { did, signing },
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
                guard: guard({ redis, shards: 1 }),
                services,
                idempotency: idempotency('wallet'),
                cursors: testCursors,
                quotas,
                clock,
            }),
        );
    const wallets = open();

    /** Creates a wallet. Returns it with the fields of a request that opens it. */
    async function newWallet(context: CallContext = patientContext(), password = PASSWORD) {
        const made = await wallets.create({ name: 'wallet', password }, context);
        return { made, context, access: { wallet_id: made.wallet_id, password } };
    }

    /** The ids of the credentials in a wallet. */
    async function idsIn(access: { wallet_id: string; password: string }, context: CallContext): Promise<string[]> {
        const list = await wallets.listCredentials({ ...access, ...WHOLE }, context);
        return list.credentials.map(({ credential_id }) => credential_id);
    }

    const issuer = await newParty(did);
    return { db, did, signing, signatures, credentials, time, wallets, open, newWallet, idsIn, derived, issuer };
}

type Wallets = Awaited<ReturnType<typeof startWallets>>;

/** Issues a credential. Returns its id and token. */
export async function issue(
    { credentials }: Pick<Wallets, 'credentials'>,
    issuer: Party,
    changes: Parameters<typeof requestBy>[1] = {},
) {
    const { credential_id, credential } = await credentials.issue(requestBy(issuer, changes), issuer.context);
    return { credential_id, credential };
}
