import { type CallContext, deadlineExceeded, throwIfCancelled } from '../context.ts';
import { AppError, asAppError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import { type Metrics, secondsSince } from '../telemetry/metrics.ts';
import { traceIdOf } from '../telemetry/span.ts';
import { startSpan } from '../telemetry/tracing.ts';
import { unavailableLog } from '../telemetry/unavailable-log.ts';
import { isId } from '../uuid.ts';
import type { AdmitItems, BoundMethod } from './definition.ts';
import { MAX_ANSWER_BYTES } from './frames/frames.ts';
import { RemoteError } from './frames/wire.ts';

/** An IP address, a network such as 2001:db8::/64, or `unknown`. It becomes a part of Redis keys. */
const ADDRESS = /^[\w.:%/-]{1,64}$/;

/**
 * Runs one encoded call. Fails with AppErrors only: any other error has been logged and converted to `internal`. If the
 * call is a batch, `admitItems` is called with the number of its items before it runs.
 */
export type Dispatch = (
    path: string,
    request: Uint8Array,
    context: CallContext,
    admitItems?: AdmitItems,
) => Promise<Uint8Array>;

/** Like Dispatch, for a call within this process, whose messages are not encoded. */
export type LocalDispatch = (path: string, request: unknown, context: CallContext) => Promise<unknown>;

export interface Dispatcher {
    remote: Dispatch;
    local: LocalDispatch;
}

/**
 * Creates the entry to a process's services for calls of every transport: it finds the method, records metrics and
 * converts errors.
 */
export function dispatcher(methods: BoundMethod[], { log, metrics }: { log: Log; metrics: Metrics }): Dispatcher {
    const table = new Map(methods.map((method) => [method.path, method]));
    const duration = metrics.histogram({
        name: 'rpc_server_duration_seconds',
        help: 'Duration of a call, by method and outcome.',
        labels: ['method', 'outcome'],
    });

    const logUnavailable = unavailableLog(log);

    async function observed<Answer>(
        path: string,
        context: CallContext,
        run: (method: BoundMethod, context: CallContext) => Promise<Answer>,
    ): Promise<Answer> {
        const method = table.get(path);
        if (!method) throw new AppError('method_not_allowed', 'There is no such method.');
        const began = performance.now();
        const span = startSpan('server', path, context);
        try {
            throwIfCancelled(context);
            if (context.deadline <= began) throw deadlineExceeded();
            if (context.user_id !== undefined && !isId(context.user_id)) {
                throw new AppError('invalid', 'x-on-behalf-of must be the id of one account.');
            }
            if (context.address !== undefined && !ADDRESS.test(context.address)) {
                throw new AppError('invalid', 'x-client-address must be an IP address or a network.');
            }
            const response = await run(method, span.within(context));
            duration.observe({ method: path, outcome: 'ok' }, secondsSince(began));
            span.finish();
            return response;
        } catch (error) {
            const refusal = asAppError(error);
            const seen = { method: path, request_id: context.request_id, trace_id: traceIdOf(context) };
            if (refusal.kind === 'cancelled') log.info(seen, 'call cancelled: the client disconnected');
            else if (refusal.kind === 'deadline') log.warn(seen, 'call not answered in time');
            else if (refusal.httpStatus >= 500 && !(refusal instanceof RemoteError)) {
                if (refusal.isExplained) logUnavailable(refusal, seen);
                else log.error({ err: error, ...seen }, 'call failed');
            }
            duration.observe({ method: path, outcome: refusal.kind }, secondsSince(began));
            span.finish(refusal);
            throw refusal;
        }
    }

    return {
        remote: (path, request, context, admitItems) =>
            observed(path, context, async (method, within) => {
                const response = await method.run(request, within, admitItems);
                if (response.byteLength <= MAX_ANSWER_BYTES) return response;
                throw new Error(`the answer is too large: ${response.byteLength} bytes`);
            }),
        local: (path, request, context) => observed(path, context, (method, within) => method.call(request, within)),
    };
}
