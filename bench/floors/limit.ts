import { readFileSync } from 'node:fs';
import { epochKey, keyBucket } from '../../platform/access/buckets.ts';
import { LIVENESS_MARK_MS, livenessMarkKey } from '../../platform/access/liveness-marks.ts';
import { newId } from '../../platform/ids.ts';
import { type Redis, redisScript } from '../../platform/redis/redis.ts';
import { times } from '../jobs/job.ts';
import type { Rounds } from './part.ts';

const SCRIPT = readFileSync(new URL('../../platform/access/limit.lua', import.meta.url), 'utf8');
const TAG = '{floor}';
const WINDOW_MS = 60_000;
const LIMIT = 1_000_000_000;
const GROUP = 64;

/** The limiter's script alone: batches of calls with live API keys, one batch at a time. */
export async function limitPart(redis: Redis): Promise<Rounds> {
    const run = redisScript(redis, SCRIPT);
    const calls = times(GROUP, () => {
        const [account, keyId] = [newId(), newId()];
        return [keyBucket(TAG, account, keyId), livenessMarkKey(TAG, 'key', keyId)];
    });
    const keys = [...calls.flat(), epochKey(TAG)];
    const ask = async (epoch: string, mode: '' | 'confirmed'): Promise<Array<number | string>> => {
        const args = calls.flatMap(() => [LIMIT, mode, 1, 0]);
        // limit.lua describes the answer.
        return (await run(keys, [WINDOW_MS, LIVENESS_MARK_MS, epoch, ...args])) as Array<number | string>;
    };
    const epoch = String((await ask('', '')).at(-1));
    const requireAdmitted = ([state]: Array<number | string>): void => {
        if (state !== 0) throw new Error(`The limiter's script answered with state ${state}.`);
    };
    return {
        perRound: GROUP,
        inFlight: 1,
        async round() {
            const [state] = await ask(epoch, '');
            // A liveness mark expires after a while. A confirmation sets it again.
            if (state !== 0) requireAdmitted(await ask(epoch, 'confirmed'));
        },
    };
}
