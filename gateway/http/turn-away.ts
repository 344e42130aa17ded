import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Decision } from '../../platform/access/limit-decision.ts';
import { AppError } from '../../platform/errors.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { readTraceparent, traceIdOf } from '../../platform/telemetry/span.ts';
import type { Cors } from './cors.ts';
import { errorWriter, writeError } from './envelope.ts';
import { type Exchange, limitHeaders, requestIdOf } from './exchange.ts';
import { type BodyOptions, IncomingBody } from './incoming-body.ts';
import { oauthProblem } from './oauth.ts';

/** Largest body, in bytes, that Node may discard by itself. */
const SMALL_BODY_BYTES = 64 << 10;

/** Why the answer is 503, in the log and the metrics. */
export const SHED = 'shed';

/** Refuses a request before the gateway does any work for it. */
type TurnAway = (request: IncomingMessage, response: ServerResponse, body: BodyOptions) => void;

/**
 * Refuses requests when the service is at capacity. A refusal must be cheap, because its cost is taken from requests
 * that could be answered. So it creates no exchange and no span, and answers, measures and logs in one step.
 */
export function turnAway(options: {
    /** The state of the rate limit, for the header fields. */
    decision(): Decision;
    cors: Cors;
    observe(seen: { route: string; method: string; status: number; reason: string }, began: number): number;
    log: Log;
}): TurnAway {
    const { decision, cors, observe, log } = options;
    const reason = SHED;
    const atCapacity = new AppError('unavailable', 'The service is at capacity. Try again shortly.', {
        retry_after: 1,
        reason,
    });
    const { httpStatus: status, kind } = atCapacity;
    const forWallets = oauthProblem(atCapacity, 'invalid_request', { headers: {} }).text;
    const [write, writeForWallet] = [errorWriter(atCapacity), errorWriter(atCapacity, forWallets)];
    const route = 'unmatched';
    return (request, response, body) => {
        const began = performance.now();
        const requestId = requestIdOf(request);
        const own: Pick<Exchange, 'request' | 'headers' | 'problem'> = {
            request,
            headers: { 'X-Request-Id': requestId },
        };
        cors.allow(own); // without these fields a browser could not read the refusal
        cors.allowAll(own);
        const isWallet = own.problem !== undefined;
        const headers = { ...limitHeaders(decision()), ...own.headers };
        if (body.ask || hasSmallBody(request)) (isWallet ? writeForWallet : write)(response, headers);
        else {
            const rest = new IncomingBody(request, body).drop();
            void writeError(response, atCapacity, { headers, rest, text: isWallet ? forWallets : undefined });
        }
        const { method = '' } = request;
        log.info({
            request_id: requestId,
            trace_id: traceIdOf({ traceparent: readTraceparent(request.headers.traceparent) }),
            method,
            route,
            status,
            duration_ms: observe({ route, method, status, reason }, began),
            error: kind,
            reason,
        });
    };
}

function hasSmallBody({ headers }: IncomingMessage): boolean {
    return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SMALL_BODY_BYTES;
}
