import { hash, timingSafeEqual } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { AppError, invalid } from '../errors.ts';
import type { CallerSettings } from '../process/caller-settings.ts';
import type { Dispatch } from './dispatch.ts';
import { MAX_CALLS_IN_FLIGHT } from './in-flight.ts';

/** The holder of a service token. */
export interface Caller {
    /** True if it may call the method at `/package.Service/Method`. */
    allows(path: string): boolean;
    /**
     * Runs a call of this caller. Throws if the caller may not call the method, or has too many calls in progress. Each
     * item of a batch counts as a call.
     */
    dispatch: Dispatch;
    /** Maximum number of gRPC calls and streams that it may have open in this process. */
    maxOpen: number;
}

/**
 * Returns the caller with this metadata, or undefined if it has no valid token. Throws `headers_too_large` if the
 * metadata is too large.
 */
export type Identify = (metadata: Metadata) => Caller | undefined;

/** Maximum total size of the metadata of a call, in bytes. Beyond it: `headers_too_large`. */
const MAX_METADATA_BYTES = 16 << 10;

/**
 * Identifies callers by their tokens. This service's own processes have one of `serviceTokens` and may call every
 * method. An external service may call what its settings permit.
 */
export function callers(options: {
    serviceTokens: readonly string[];
    serviceCallers: Record<string, CallerSettings>;
    dispatch: Dispatch;
}): Identify {
    const { serviceTokens, serviceCallers, dispatch } = options;
    const own: Caller = { allows: () => true, dispatch, maxOpen: MAX_CALLS_IN_FLIGHT };
    const known: Array<[token_sha256: Buffer, Caller]> = [
        ...serviceTokens.map((token): [Buffer, Caller] => [sha256(token), own]),
        ...Object.values(serviceCallers).map((settings): [Buffer, Caller] => [
            Buffer.from(settings.token_sha256, 'hex'),
            foreignCaller(settings, dispatch),
        ]),
    ];

    return (metadata) => {
        if (sizeOf(metadata) > MAX_METADATA_BYTES) {
            throw new AppError('headers_too_large', 'The metadata of a call may have at most 16 KiB.');
        }
        const [, token = ''] = /^Bearer (.+)$/.exec(String(metadata.get('authorization')[0])) ?? [];
        const sent = sha256(token);
        // All tokens are compared, so that the duration reveals nothing.
        return known.filter(([tokenSha256]) => timingSafeEqual(tokenSha256, sent))[0]?.[1];
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
    let inFlight = 0;
    return {
        allows,
        maxOpen: max_in_flight,
        async dispatch(path, request, context) {
            if (!allows(path)) throw notAllowed();
            if (context.trusted && !trusted) {
                throw new AppError('forbidden', 'This service token does not permit trusted calls.');
            }
            let taken = 0;
            const take = (calls: number): void => {
                if (inFlight + calls > max_in_flight) throw tooManyCalls(max_in_flight);
                inFlight += calls;
                taken += calls;
            };
            const takeFurtherItems = (items: number): void => {
                if (items > max_in_flight) throw invalid(`This service may send ${max_in_flight} items at once.`);
                if (items > 1) take(items - 1);
            };
            take(1);
            try {
                // Only a trusted caller may state an account's tier.
                const own = trusted ? context : { ...context, tier: undefined };
                return await dispatch(path, request, own, takeFurtherItems);
            } finally {
                inFlight -= taken;
            }
        },
    };
}
