import { type CallContext, Cancellation } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { createLog } from '../../platform/telemetry/log.ts';

// Separate from harness.ts, which loads every service. Without it, a test that needs no database starts three times as
// fast.

export const quiet = createLog({ level: 'silent', name: 'test' });

/** The context of a call for `user_id`, by default a new id. Its deadline is later than the end of any test file. */
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
