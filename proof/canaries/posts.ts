import assert from 'node:assert/strict';
import { type Call, expectOk } from '../../test/e2e/support/client.ts';
import type { Canaries } from './canary.ts';

export const post = (path: string, body: object, caller: Partial<Call> = {}): Call => ({
    method: 'POST',
    path,
    body,
    ...caller,
});
/** Makes a call that creates something, and repeats it with the same Idempotency-Key. */
export async function twice(status: 200 | 201, call: Call, canaries: Canaries) {
    const keyed = { ...call, headers: { 'Idempotency-Key': canaries.text('Idempotency-Key') } };
    const made = await expectOk(status, keyed);
    assert.deepEqual(await expectOk(status, keyed), made);
    return made;
}
