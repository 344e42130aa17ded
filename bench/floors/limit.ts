import { readFileSync } from 'node:fs';
import {
    accountsAwaitingRollUp,
    bucketsAwaitingRollUp,
    epochKey,
    keyBucket,
} from '../../platform/access/limit-record.ts';
import { LIVENESS_MARK_MS, livenessMarkKey } from '../../platform/access/liveness-marks.ts';
import { newId } from '../../platform/ids.ts';
import { type Redis, redisScript } from '../../platform/redis/redis.ts';
import { times } from '../jobs/job.ts';
import type { Rounds } from './part.ts';

const SCRIPT = readFileSync(new URL('../../gateway/admission/limit.lua', import.meta.url), 'utf8');
const TAG = '{floor}';
const WINDOW_MS = 60_000;
const LIMIT = 1_000_000_000;
const GROUP = 64;

/** The limiter's script alone: groups of calls by keys that are alive, one group after the other. */
export async function limitPart(redis: Redis): Promise<Rounds> {
    const run = redisScript(redis, SCRIPT);
    const calls = times(GROUP, () => {
        const [account, key_id] = [newId(), newId()];
        return [
            keyBucket(TAG, account, key_id),
            livenessMarkKey(TAG, 'key', key_id),
            bucketsAwaitingRollUp(TAG, account),
        ];
    });
    const keys = [...calls.flat(), accountsAwaitingRollUp(TAG), epochKey(TAG)];
    const ask = async (epoch: string, mode: '' | 'confirmed'): Promise<Array<number | string>> => {
        const args = calls.flatMap(() => [LIMIT, mode]);
        return (await run(keys, [WINDOW_MS, LIVENESS_MARK_MS, epoch, ...args])) as Array<number | string>; // see limit.lua
    };
    const epoch = String((await ask('', '')).at(-1));
    const requireAdmitted = ([state]: Array<number | string>): void => {
        if (state !== 0) throw new Error(`The limiter's script answered the state ${state}.`);
    };
    return {
        per_round: GROUP,
        in_flight: 1,
        async round() {
            const [state] = await ask(epoch, '');
            // What is known of a key is known for a while only.
            if (state !== 0) requireAdmitted(await ask(epoch, 'confirmed'));
        },
    };
}
