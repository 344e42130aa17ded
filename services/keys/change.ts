import type { LivenessMarks } from '../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { RenameRequest, RenameResponse, RestrictRequest } from '../../proto/gen/keys/v1/keys.ts';
import { requireName } from '../texts.ts';
import { type KeyPolicy, tooManyActive, windowsSince } from './generate.ts';
import { existing, ownKey, versionOf } from './own-key.ts';
import { type Restrictions, requireChange, shown } from './restrictions.ts';
import type { KeyCounts, KeyRow, OwnKey } from './rows.ts';
import type { KeyStore } from './store.ts';

interface ChangeOptions {
    store: KeyStore;
    livenessMarks: LivenessMarks;
    policy: KeyPolicy;
    /** Milliseconds since 1970. */
    clock: () => number;
    mostOf(context: CallContext): KeyCounts;
}

/** The methods that change a key. */
export function changes(options: ChangeOptions) {
    const { store, clock } = options;
    const now = () => new Date(clock()).toISOString();
    return {
        async rename(request: RenameRequest, context: CallContext): Promise<RenameResponse> {
            const name = request.name === undefined ? undefined : requireName(request.name);
            const own = ownKey(request.key_id, context);
            const key =
                name === undefined ? store.find(own, context) : store.rename({ ...own, name, now: now() }, context);
            return changed(existing(await key));
        },

        async restrict(request: RestrictRequest, context: CallContext): Promise<RenameResponse> {
            const name = request.name === undefined ? undefined : requireName(request.name);
            const change = requireChange(request, clock());
            const own = ownKey(request.key_id, context);
            return changed(await restrict(options, { own, name, change }, context));
        },
    };
}

/**
 * Sets the version mark before the transaction, so that no row is locked while Redis answers. Commits in any case, and
 * then throws `unavailable` if the mark could not be set: a gateway may still apply the former restrictions for a minute.
 * A repeated call sets the mark.
 */
async function restrict(
    { store, livenessMarks, policy, clock, mostOf }: ChangeOptions,
    { own, ...values }: { own: OwnKey; name: string | undefined; change: Partial<Restrictions> },
    context: CallContext,
): Promise<KeyRow> {
    const mostActive = mostOf(context).active;
    const nowMs = clock();
    const times = { now: new Date(nowMs).toISOString(), since: windowsSince(policy, nowMs) };
    const versions = await store.versions({ ...own, now: times.now }, context);
    const { version } = existing(versions.find(({ id }) => id === own.key_id));
    const next = version + 1;
    const failure = await livenessMarks.changeVersions(versionOf(own, next), context);
    const key = existing(
        await store.restrict(
            { ...own, ...values, ...times, mostActive },
            { check: (current) => requireNotLonger(current, values.change), full: () => tooManyActive(mostActive) },
            context,
        ),
    );
    // Another change of the key, made at the same time, may have taken the version that the mark names.
    const isMarked = !failure && key.version === next;
    const stillFailed = isMarked ? undefined : await livenessMarks.changeVersions(versionOf(own, key.version), context);
    if (stillFailed) throw stillFailed;
    return key;
}

/** The place of a replaced key belongs to its successor, so it must not live longer than its rotation has said. */
function requireNotLonger(key: KeyRow, { expires_at }: Partial<Restrictions>): void {
    if (key.replaced_by === null || expires_at === undefined) return;
    if (expires_at !== null && key.expires_at !== null && Date.parse(expires_at) <= Date.parse(key.expires_at)) return;
    throw new AppError('conflict', 'This API key has been replaced, so its expires_at can only become earlier.');
}

function changed(key: KeyRow): RenameResponse {
    const { key_id, name, updated_at } = key;
    return { key_id, name, updated_at, ...shown(key) };
}
