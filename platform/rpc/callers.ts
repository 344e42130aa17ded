import { hash, timingSafeEqual } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { AppError } from '../errors.ts';
import type { CallerSettings } from '../process/caller-settings.ts';
import { MAX_CALLS_IN_FLIGHT } from './bounds/in-flight.ts';
import type { Dispatch } from './dispatch.ts';

/** The holder of a service token. */
export interface Caller {
    /** True if it may call the method at `/package.Service/Method`. */
    allows(path: string): boolean;
    /** Runs one of its calls if it is allowed and has not too many in progress. */
    dispatch: Dispatch;
    /** gRPC calls and streams that it may have open in this process. */
    max_open: number;
}

/** The sender of a call. Throws `unauthenticated` if it is unknown, `headers_too_large` if it sent too much. */
export type Identify = (metadata: Metadata) => Caller;

export interface Callers {
    identify: Identify;
    /** True if this `authorization` carries a valid token. */
    knows(authorization: string | undefined): boolean;
}

/** Maximum total size of the metadata of a call, in bytes. */
const MAX_METADATA_BYTES = 16 << 10;

/**
 * Knows this service's own processes by `service_tokens`, which may call everything, and external services by their
 * settings.
 */
export function callers(options: {
    service_tokens: readonly string[];
    service_callers: Record<string, CallerSettings>;
    dispatch: Dispatch;
}): Callers {
    const { service_tokens, service_callers, dispatch } = options;
    const own: Caller = { allows: () => true, dispatch, max_open: MAX_CALLS_IN_FLIGHT };
    const known: Array<[token_sha256: Buffer, Caller]> = [
        ...service_tokens.map((token): [Buffer, Caller] => [sha256(token), own]),
        ...Object.values(service_callers).map((settings): [Buffer, Caller] => [
            Buffer.from(settings.token_sha256, 'hex'),
            foreignCaller(settings, dispatch),
        ]),
    ];

    function find(authorization: string): Caller | undefined {
        const [, token = ''] = /^Bearer (.+)$/.exec(authorization) ?? [];
        const sent = sha256(token);
        // All are compared, so that the duration reveals nothing.
        return known.filter(([token_sha256]) => timingSafeEqual(token_sha256, sent))[0]?.[1];
    }

    return {
        identify(metadata) {
            if (sizeOf(metadata) > MAX_METADATA_BYTES) {
                throw new AppError('headers_too_large', 'The metadata of a call may have at most 16 KiB.');
            }
            const found = find(String(metadata.get('authorization')[0]));
            if (!found) throw new AppError('unauthenticated', 'A valid service token is required.');
            return found;
        },
        knows: (authorization) => authorization !== undefined && find(authorization) !== undefined,
    };
}

function sizeOf(metadata: Metadata): number {
    const headers = Object.entries(metadata.toHttp2Headers());
    return headers.reduce((sum, [name, values]) => sum + name.length + String(values).length, 0);
}

export function notAllowed(): AppError {
    return new AppError('forbidden', 'This service token does not permit this method.');
}

export function tooManyCalls(max: number): AppError {
    return new AppError('rate_limited', `At most ${max} calls may be in progress.`, { retry_after: 1 });
}

function sha256(text: string): Buffer {
    return hash('sha256', text, 'buffer');
}

function foreignCaller({ methods, trusted, max_in_flight }: CallerSettings, dispatch: Dispatch): Caller {
    const listed = new Set(methods);
    const allows = (path: string): boolean =>
        listed.has(path) || listed.has(`${path.slice(0, path.lastIndexOf('/'))}/*`);
    let in_flight = 0;
    return {
        allows,
        max_open: max_in_flight,
        async dispatch(path, request, context) {
            if (!allows(path)) throw notAllowed();
            if (context.trusted && !trusted) {
                throw new AppError('forbidden', 'This service token does not permit trusted calls.');
            }
            if (in_flight >= max_in_flight) throw tooManyCalls(max_in_flight);
            in_flight++;
            try {
                // Only a trusted caller may state an account's tier.
                return await dispatch(path, request, trusted ? context : { ...context, tier: undefined });
            } finally {
                in_flight--;
            }
        },
    };
}
