import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { asAppError } from '../errors.ts';
import { type Caller, type Identify, notAllowed, tooManyCalls } from './callers.ts';
import { encodeStatus } from './unary.ts';

/** Anybody may ask for the health of a process. */
const HEALTH = '/grpc.health.v1.Health/';
/** Whoever holds a token may read what a client needs. */
const REFLECTION = '/grpc.reflection.';
/** Questions for health that may be open at once, those that watch included. */
const MAX_HEALTH_CALLS = 128;

export interface Admission {
    /** Refuses calls by their metadata, before grpc-js reads a message. */
    interceptor: ServerInterceptor;
    /** Who makes the call with this metadata, which the interceptor has let pass. */
    callerOf(metadata: Metadata): Caller;
}

/** Decides who may make a call, and how many at once. `know` is told of the connections over which a valid token has come. */
export function admission(options: {
    identify: Identify;
    know(peer: { remoteAddress?: string | undefined; remotePort?: number | undefined }): void;
}): Admission {
    const { identify, know } = options;
    const callers = new WeakMap<Metadata, Caller>();
    const anybody = { max_open: MAX_HEALTH_CALLS };
    const open = new Map<Pick<Caller, 'max_open'>, number>();

    /** Counts the call; the function that is returned takes it out again, once. */
    function enter(caller: Pick<Caller, 'max_open'>): () => void {
        const count = open.get(caller) ?? 0;
        if (count >= caller.max_open) throw tooManyCalls(caller.max_open);
        open.set(caller, count + 1);
        let is_open = true;
        return () => {
            if (is_open) open.set(caller, (open.get(caller) ?? 0) - 1);
            is_open = false;
        };
    }

    function admit(path: string, metadata: Metadata): () => void {
        if (path.startsWith(HEALTH)) return enter(anybody);
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
                            leave = admit(path, metadata);
                        } catch (error) {
                            call.sendStatus(encodeStatus(asAppError(error)));
                            return; // nothing of the call is read
                        }
                        if (callers.has(metadata)) know(call.getConnectionInfo());
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
            if (!caller) throw new Error('a call has come past the interceptor');
            return caller;
        },
    };
}
