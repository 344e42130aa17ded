import { type CallContext, Cancellation } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { createLog } from '../../platform/telemetry/log.ts';

// Apart from harness.ts, which loads every service: a test that needs no database starts three times as fast without it.

export const quiet = createLog({ level: 'silent', name: 'test' });

/** A call on behalf of `user_id` (a new account's id unless given), with more time to go than a whole file takes. */
export function testContext(caller: Partial<CallContext> = {}): CallContext {
    return {
        request_id: newId(),
        traceparent: undefined,
        user_id: newId(),
        tier: 'free',
        session_id: undefined,
        address: '127.0.0.1',
        trusted: false,
        deadline: performance.now() + 300_000,
        cancellation: new Cancellation(),
        ...caller,
    };
}
