import { type CallContext, isOver, overError } from '../context.ts';
import { AppError, asAppError } from '../errors.ts';
import { sweepWhileNeeded } from '../sweep.ts';
import { type ListItem, UnorderedList } from '../unordered-list.ts';
import type { Transport } from './definition.ts';
import type { LocalDispatch } from './dispatch.ts';
import { decodeError, encodeError } from './frames/wire.ts';

interface PendingCall extends ListItem {
    context: CallContext;
    reject(error: AppError): void;
}

/**
 * Creates the transport to services in this process. It does not encode messages: bytes are shared, so neither side may
 * change or wipe those of a message, and numbers and texts are not checked again. It converts errors as over the network.
 * A call also fails at its deadline, whatever its service does.
 */
export function localTransport(dispatch: LocalDispatch): Transport {
    const pending = new UnorderedList<PendingCall>();

    function sweep(now: number): boolean {
        for (const call of pending) {
            if (!isOver(call.context, now)) continue;
            pending.remove(call);
            call.reject(overError(call.context));
        }
        return pending.size > 0;
    }

    return (method, request, context) => {
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        const call = { index: -1, context, reject };
        pending.add(call);
        sweepWhileNeeded(sweep);
        dispatch(method.path, request, context).then(
            (answer) => {
                pending.remove(call);
                resolve(answer);
            },
            (error) => {
                pending.remove(call);
                reject(asReceived(error));
            },
        );
        return promise;
    };
}

/** Converts an error to the one that a remote caller would get. */
function asReceived(error: unknown): AppError {
    // Not from a dispatcher, which throws only AppErrors.
    if (!(error instanceof AppError)) return asAppError(error);
    return decodeError(encodeError(error));
}
