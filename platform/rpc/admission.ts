import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { asAppError } from '../errors.ts';
import { healthPlaces } from './bounds/health-places.ts';
import { type Caller, type Identify, notAllowed, tooManyCalls } from './callers.ts';
import type { Client } from './connections.ts';
import { encodeStatus } from './unary.ts';

/** Anybody may call the health methods. */
const HEALTH = '/grpc.health.v1.Health/';
/** Any holder of a token may call reflection. */
const REFLECTION = '/grpc.reflection.';

export interface Admission {
    /** Refuses calls by their metadata, before grpc-js reads a message. */
    interceptor: ServerInterceptor;
    /** The caller with this metadata, which the interceptor has accepted. */
    callerOf(metadata: Metadata): Caller;
}

/**
 * Decides who may make a call, and how many at a time. `isKnown`: true if a valid token has come over the connection.
 */
export function admission(options: { identify: Identify; isKnown(client: Client): boolean }): Admission {
    const { identify, isKnown } = options;
    const callers = new WeakMap<Metadata, Caller>();
    const health = healthPlaces(isKnown);
    const open = new Map<Caller, number>();

    /** Counts the call. The returned function removes it again, once. */
    function enter(caller: Caller): () => void {
        const count = open.get(caller) ?? 0;
        if (count >= caller.max_open) throw tooManyCalls(caller.max_open);
        open.set(caller, count + 1);
        let is_open = true;
        return () => {
            if (is_open) open.set(caller, (open.get(caller) ?? 0) - 1);
            is_open = false;
        };
    }

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
                            return; // nothing of the call is read
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
            if (!caller) throw new Error('a call got past the interceptor');
            return caller;
        },
    };
}
