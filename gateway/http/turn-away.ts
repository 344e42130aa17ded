import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../platform/errors.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { readTraceparent, traceIdOf } from '../../platform/telemetry/span.ts';
import type { Decision } from '../admission/limit-decision.ts';
import type { Cors } from './cors.ts';
import { errorWriter, limitHeaders, writeError } from './envelope.ts';
import { type Exchange, requestIdOf } from './exchange.ts';
import { type BodyOptions, IncomingBody } from './incoming-body.ts';

/** Largest body, in bytes, that Node may discard by itself. */
const SMALL_BODY_BYTES = 64 << 10;

/** Refuses a request before any work is done for it. */
export type TurnAway = (request: IncomingMessage, response: ServerResponse, body: BodyOptions) => void;

/**
 * The refusal when the service is at capacity. It must be cheap, because its cost is taken from requests that could be
 * answered. So it creates no exchange and no span, and it is answered, metered and logged in one step.
 */
export function turnAway(options: {
    /** The limit's state, for the header fields. */
    decision(): Decision;
    cors: Cors;
    observe(seen: { route: string; method: string; status: number }, began: number): number;
    log: Log;
}): TurnAway {
    const { decision, cors, observe, log } = options;
    const at_capacity = new AppError('unavailable', 'The service is at capacity. Try again shortly.', {
        retry_after: 1,
    });
    const { http_status: status, kind } = at_capacity;
    const write = errorWriter(at_capacity);
    const route = 'unmatched';
    return (request, response, body) => {
        const began = performance.now();
        const request_id = requestIdOf(request);
        const own: Exchange['headers'] = { 'X-Request-Id': request_id };
        cors.allow({ request, headers: own }); // otherwise a browser could not read the refusal
        const headers = { ...limitHeaders(decision()), ...own };
        if (hasSmallBody(request)) write(response, headers);
        else
            void writeError(response, at_capacity, {
                headers,
                rest: new IncomingBody(request, body).drop(),
            });
        const { method = '' } = request;
        log.info({
            request_id,
            trace_id: traceIdOf({ traceparent: readTraceparent(request.headers.traceparent) }),
            method,
            route,
            status,
            duration_ms: observe({ route, method, status }, began),
            error: kind,
        });
    };
}

function hasSmallBody({ headers }: IncomingMessage): boolean {
    return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SMALL_BODY_BYTES;
}
