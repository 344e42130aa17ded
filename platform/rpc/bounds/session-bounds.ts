import type { SecureServerOptions } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/**
 * Maximum number of frames of a connection, over its whole life, that violate the protocol of a stream. Node creates
 * and discards an object for each such frame. Beyond it: the connection is closed.
 */
const MAX_INVALID_FRAMES = 100;

/**
 * Sets limits of HTTP/2 sessions for which grpc-js has no option. The limits are in `commonServerOptions`, which is
 * private: test/full/integration/rpc/rpc-floods.test.ts fails if that changes.
 */
export function boundSessions(server: Server): void {
    const { commonServerOptions } = server as unknown as { commonServerOptions: SecureServerOptions };
    commonServerOptions.maxSessionInvalidFrames = MAX_INVALID_FRAMES;
}
