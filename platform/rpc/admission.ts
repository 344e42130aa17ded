import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { asAppError } from '../errors.ts';
import { healthPlaces } from './bounds/health-places.ts';
import { type Caller, type Identify, notAllowed, tooManyCalls } from './callers.ts';
import type { Client } from './connections.ts';
import { encodeStatus } from './unary.ts';

/** The health methods need no token. */
const HEALTH = '/grpc.health.v1.Health/';
/** The reflection methods need a token, but no permission for the method. */
const REFLECTION = '/grpc.reflection.';

export interface Admission {
    /** Refuses calls by their metadata, before grpc-js reads a message. */
    interceptor: ServerInterceptor;
    /** Returns the caller of a call that the interceptor has admitted, by its metadata. */
    callerOf(metadata: Metadata): Caller;
}

/**
 * Decides which callers may make a call, and limits the open calls of each. `isKnown`: true if a valid token has come
 * over the connection.
 */
export function admission(options: { identify: Identify; isKnown(client: Client): boolean }): Admission {
    const { identify, isKnown } = options;
    const callers = new WeakMap<Metadata, Caller>();
    const health = healthPlaces(isKnown);
    const enter = openCalls();

    function admit(path: string, metadata: Metadata, client: Client): () => void {
        if (path.startsWith(HEALTH)) return health.enter(path, client);
        const caller = identify(metadata);
        if (!path.startsWith(REFLECTION) && !caller.allows(path)) throw notAllowed();
        const leave = enter(caller);
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

/** Counts the open calls of each caller. */
function openCalls(): (caller: Caller) => () => void {
    const open = new Map<Caller, number>();
    /** The returned function ends the call. Only the first call of that function has an effect. */
    return (caller) => {
        const count = open.get(caller) ?? 0;
        if (count >= caller.maxOpen) throw tooManyCalls(caller.maxOpen);
        open.set(caller, count + 1);
        let isOpen = true;
        return () => {
            if (isOpen) open.set(caller, (open.get(caller) ?? 0) - 1);
            isOpen = false;
        };
    };
}
