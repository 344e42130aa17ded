import assert from 'node:assert/strict';
import { send } from './client.ts';

const IN_FLIGHT = 16;

/** A token that the service and the offline verifier judge. */
export interface Tried {
    kind: string;
    token: string;
    /** As the service is asked. */
    path: 'credentials' | 'presentations';
    body: Record<string, unknown>;
    library: () => Promise<object>;
}

type Outcome = 'valid' | 'invalid' | 'refused';

/** Compares the verdicts on all tokens. `seed` repeats the run. Returns how many had each outcome. */
export async function compareAll(tried: readonly Tried[], seed: string): Promise<Record<Outcome, number>> {
    const counts = { valid: 0, invalid: 0, refused: 0 };
    const entries = tried.values(); // shared, so that each loop takes the next one
    const lane = async () => {
        for (const one of entries) counts[await compare(one, seed)]++;
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    return counts;
}

/** Compares the verdicts. The service refuses with 400 what cannot be asked; for the library that is not valid. */
async function compare({ kind, token, path, body, library }: Tried, seed: string): Promise<Outcome> {
    const answer = await send({ method: 'POST', path: `/internal/v1/${path}/verify`, internal: true, body });
    const verdict = await library();
    const what = `${kind}, seed ${seed}: ${token}\n${answer.text}\n${JSON.stringify(verdict)}`;
    if (answer.status === 400) {
        assert.ok('valid' in verdict && verdict.valid === false && 'error' in verdict, what);
        return 'refused';
    }
    assert.equal(answer.status, 200, what);
    assert.deepEqual(verdict, answer.data, what);
    return answer.data.valid ? 'valid' : 'invalid';
}
