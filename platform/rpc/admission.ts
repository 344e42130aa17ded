import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { AppError, asAppError } from '../errors.ts';
import { type Caller, type Identify, notAllowed, tooManyCalls } from './callers.ts';
import type { Client } from './connections.ts';
import { encodeStatus } from './unary.ts';

/** The health methods need no token. */
const HEALTH = '/grpc.health.v1.Health/';
/** The reflection methods need a token, but no permission for the method. */
const REFLECTION = '/grpc.reflection.';

/**
 * Maximum number of open calls of one health method: of clients without a valid token together, and of clients with one
 * together. Beyond it: `rate_limited`.
 */
const MAX_HEALTH_CALLS = 64;

export interface Admission {
    /** Refuses calls by their metadata, before grpc-js reads a message. */
    interceptor: ServerInterceptor;
    /** Returns the caller of a call that the interceptor has admitted, by its metadata. */
    callerOf(metadata: Metadata): Caller;
}

/**
 * Decides which callers may make a call, and limits the open calls of each. `authenticated` is called for each call
 * with a valid token.
 */
export function admission(options: { identify: Identify; authenticated(client: Client): void }): Admission {
    const callers = new WeakMap<Metadata, Caller>();
    const enter = openCalls();

    function admit(path: string, metadata: Metadata, client: Client): () => void {
        const caller = options.identify(metadata);
        if (caller) options.authenticated(client);
        if (path.startsWith(HEALTH)) return enter(caller ? `${path} with a token` : path, MAX_HEALTH_CALLS);
        if (!caller) throw new AppError('unauthenticated', 'A valid service token is required.');
        if (!path.startsWith(REFLECTION) && !caller.allows(path)) throw notAllowed();
        const leave = enter(caller, caller.maxOpen);
        callers.set(metadata, caller);
        return leave;
    }

    const interceptor: ServerInterceptor = ({ path }, call) => {
        let leave = (): void => {};
        return new ServerInterceptingCall(call, {
            start(next) {
                next({
                    onReceiveMetadata(metadata, pass) {
                        try {
                            leave = admit(path, metadata, call.getConnectionInfo());
                        } catch (error) {
                            call.sendStatus(encodeStatus(asAppError(error)));
                            return; // no message of the call is read
                        }
                        pass(metadata);
                    },
                    onCancel: () => leave(),
                });
            },
            sendStatus(status, next) {
                leave();
                next(status);
            },
        });
    };
    return {
        interceptor,
        callerOf(metadata) {
            const caller = callers.get(metadata);
            if (!caller) throw new Error('the interceptor has not admitted this call');
            return caller;
        },
    };
}

/** Counts the open calls of each caller, and of each health method. */
function openCalls(): (who: Caller | string, max: number) => () => void {
    const open = new Map<Caller | string, number>();
    /** The returned function ends the call. Only the first call of that function has an effect. */
    return (who, max) => {
        const count = open.get(who) ?? 0;
        if (count >= max) throw tooManyCalls(max);
        open.set(who, count + 1);
        let isOpen = true;
        return () => {
            if (isOpen) open.set(who, (open.get(who) ?? 0) - 1);
            isOpen = false;
        };
    };
}
