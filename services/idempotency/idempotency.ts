import type { CallContext, CallLifetime } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { Database } from '../../platform/postgres/db.ts';
import { type Config, required } from '../../platform/process/config.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import {
    type Claim,
    deriveClaim,
    digestOf,
    type Encodable,
    type HeldClaim,
    keyOf,
    requireSealingKey,
} from './claim.ts';
import { claimLookup, type Owner } from './claims.store.ts';

/** Makes the calls of one service idempotent by their Idempotency-Key. */
export interface Idempotency {
    /**
     * Returns what the call claims; undefined if it has no key. `showsSecret`: the answer contains a secret, which needs a
     * key that cannot be guessed. Throws AppError `invalid` if the key is malformed or too short.
     */
    claimOf<Request>(
        call: Encodable<Request> & { operation: string; showsSecret?: true },
        context: CallContext,
    ): Claim | undefined;
    /** Returns what one item of a batch claims. `key` is unique in the batch; `digest` identifies the request. */
    claimOfItem(item: { operation: string; key: string; digest: Uint8Array }, context: CallContext): Claim;
    /**
     * Finds the claim of an earlier call with the same key, unless it has expired. Throws AppError `unprocessable` if
     * that call had another request.
     */
    find(claim: Claim, context: CallContext): Promise<HeldClaim | undefined>;
    /**
     * Runs `write`, which claims and writes in one transaction, and resolves to undefined if an earlier call holds the
     * claim. In that case the answer is the one of `replay`, and it counts as repeated. The same holds if the write is
     * refused (`forbidden`, `conflict`) and another call has made the claim meanwhile. `held` is the claim of an earlier
     * call, if it is known. `lookFirst`: looks for an earlier call before `write`, because that one is expensive.
     * Without a claim it only writes.
     */
    once<Answer>(claim: Claim | undefined, call: OnceCall<Answer>, context: CallContext): Promise<Answer>;
    /** Counts a conflict, and returns the error for a call whose key was used for another request. */
    conflictOf(claim: Claim): AppError;
}

interface OnceCall<Answer> {
    write(): Promise<Answer | undefined>;
    replay(held: HeldClaim, claim: Claim): Promise<Answer> | Answer;
    held?: HeldClaim | undefined;
    lookFirst?: boolean;
}

/**
 * Maximum number of writes of one call. A second one is needed only if the claim that refused the first was removed or
 * expired before it was read, or if an item of the same batch with the same key was refused. Beyond it: `unavailable`.
 */
const MAX_WRITES = 4;

const HOUR_MS = 3_600_000;

/**
 * The operations whose calls can be repeated, with their methods, which docs/grpc.md lists. The metric shows each of them
 * from the start.
 */
export const OPERATIONS: Record<Owner, Readonly<Record<string, string>>> = {
    credentials: { 'credentials.issue': 'Issue', 'credentials.batch.issue': 'IssueMany' },
    did: { 'did.create': 'Create' },
    identity: { 'internal.auth.register': 'Register', 'internal.admin.create_users': 'CreateUsers' },
    keys: { 'keys.generate': 'Generate', 'keys.rotate': 'Rotate' },
    presentations: { 'presentations.create': 'Create' },
    signing: {
        'issuers.create': 'CreateIssuer',
        'issuers.rotate': 'RotateKey',
        'webhooks.rotate_secret': 'RotateWebhookSecret',
    },
    wallet: { 'wallets.create': 'Create', 'wallets.add_credential': 'AddCredential' },
    webhooks: { 'webhooks.create': 'Create' },
    exchange: { 'offers.create': 'CreateOffer' },
};

interface Shared {
    pepper: string;
    hours: number;
    /** Milliseconds since 1970. */
    clock: () => number;
    /** Counts a replay or a conflict. */
    count(operation: string, outcome: 'replayed' | 'conflict'): void;
}

/** Returns the idempotency of each service of a process. The pepper is required only if there is one. */
export function idempotencies(dependencies: {
    config: Config;
    /** The databases with the claims of a service. */
    databasesOf(owner: Owner): readonly Database[];
    metrics: Metrics;
    clock: () => number;
}): (owner: Owner) => Idempotency {
    const { config, databasesOf, metrics, clock } = dependencies;
    const repeats = metrics.counter({
        name: 'idempotent_repeats_total',
        help: 'Calls whose Idempotency-Key an earlier call has used, by operation and outcome.',
        labels: ['operation', 'outcome'],
    });
    const count: Shared['count'] = (operation, outcome) => repeats.inc({ operation, outcome });
    return (owner) => {
        const pepper = required(config, 'IDEMPOTENCY_PEPPER');
        for (const operation of Object.keys(OPERATIONS[owner])) {
            for (const outcome of ['replayed', 'conflict']) repeats.inc({ operation, outcome }, 0);
        }
        return idempotency(
            databasesOf(owner).map((db) => claimLookup(db, owner)),
            {
                pepper,
                hours: config.IDEMPOTENCY_HOURS,
                clock,
                count,
            },
        );
    };
}

type LookUp = (scopeHash: Buffer, lifetime: CallLifetime) => Promise<HeldClaim | undefined>;

/** Finds a claim in whichever database has it. Fails if one does not answer, because it may have the claim. */
function lookUpIn(lookUps: readonly LookUp[]): LookUp {
    const [only] = lookUps;
    if (only && lookUps.length === 1) return only;
    return async (scopeHash, lifetime) => {
        const found = await Promise.all(lookUps.map((lookUp) => lookUp(scopeHash, lifetime)));
        return found.find((held) => held !== undefined);
    };
}

function idempotency(lookUps: readonly LookUp[], shared: Shared): Idempotency {
    const lookUp = lookUpIn(lookUps);
    // An earlier call may have made its claim in another database than this one writes to.
    const alwaysLooksFirst = lookUps.length > 1;
    const { pepper, hours, clock, count } = shared;
    const staleBefore = () => new Date(clock() - hours * HOUR_MS).toISOString();
    const derive = (item: { operation: string; key: string; digest: Uint8Array }, context: CallContext) =>
        deriveClaim(item, { pepper, stale_before: staleBefore() }, context);

    const conflictOf: Idempotency['conflictOf'] = ({ operation }) => {
        count(operation, 'conflict');
        return new AppError('unprocessable', 'This Idempotency-Key was used for another request.');
    };
    const find: Idempotency['find'] = async (claim, context) => {
        const held = await lookUp(claim.scope_hash, context);
        if (!held || held.made_at < claim.stale_before) return undefined;
        if (held.fingerprint.equals(claim.fingerprint)) return held;
        throw conflictOf(claim);
    };
    const noteReplay = ({ operation }: Claim, { replay }: CallContext): void => {
        if (replay) replay.isReplay = true;
        count(operation, 'replayed');
    };

    return {
        claimOf({ operation, showsSecret, ...request }, context) {
            const key = keyOf(context);
            if (key === undefined) return undefined;
            if (showsSecret) requireSealingKey(key);
            return derive({ operation, key, digest: digestOf(request) }, context);
        },
        claimOfItem: derive,
        find,
        conflictOf,

        async once(claim, { write, replay, held: known, lookFirst = false }, context) {
            let held = known ?? (claim && (lookFirst || alwaysLooksFirst) ? await find(claim, context) : undefined);
            for (let writes = 0; writes < MAX_WRITES && !(claim && held); writes++) {
                const { answer, refusal } = await outcomeOf(write);
                if (answer !== undefined) return answer;
                // A twin may have taken the last place of a quota, and made the claim, since the first look.
                held = claim && (await find(claim, context));
                if (refusal && !held) throw refusal;
            }
            if (!claim || !held) throw contended();
            const answer = await replay(held, claim);
            noteReplay(claim, context);
            return answer;
        },
    };
}

/** Runs a write. Its outcome is a refusal if what another call has written could be its reason. */
async function outcomeOf<Answer>(write: () => Promise<Answer>): Promise<{ answer?: Answer; refusal?: AppError }> {
    try {
        return { answer: await write() };
    } catch (error) {
        if (error instanceof AppError && (error.kind === 'forbidden' || error.kind === 'conflict'))
            return { refusal: error };
        throw error;
    }
}

function contended(): AppError {
    return new AppError('unavailable', 'Another call uses this Idempotency-Key. Try again shortly.', {
        retry_after: 1,
        reason: 'idempotency',
    });
}
