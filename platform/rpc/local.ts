import { Error as WireError } from '../../proto/gen/rpc/v1/frames.ts';
import { AppError, asAppError } from '../errors.ts';
import type { Transport } from './definition.ts';
import type { Dispatch } from './dispatch.ts';
import { decodeError, encodeError } from './wire.ts';

/**
 * The transport to services in this process. Messages arrive encoded and errors make the same trip as over the network, so
 * that nothing works here that would fail there.
 */
export function localTransport(dispatch: Dispatch): Transport {
    return async (method, request, context) => {
        try {
            return await dispatch(method.path, request, context);
        } catch (error) {
            if (!(error instanceof AppError)) throw asAppError(error); // no service has seen, or logged, it
            const bytes = WireError.encode(encodeError(error)).finish();
            throw decodeError(WireError.decode(bytes));
        }
    };
}
