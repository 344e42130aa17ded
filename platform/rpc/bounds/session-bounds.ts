import type { SecureServerOptions } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/**
 * Frames of a connection that may violate the protocol of a stream, over the connection's life. One more ends it. Each
 * costs an object that is thrown away.
 */
const MAX_INVALID_FRAMES = 100;

/**
 * Sets limits of HTTP/2 sessions for which grpc-js has no option. They are in `commonServerOptions`, which is private:
 * test/integration/rpc/rpc-floods.test.ts fails if that changes.
 */
export function boundSessions(server: Server): void {
    const { commonServerOptions } = server as unknown as { commonServerOptions: SecureServerOptions };
    commonServerOptions.maxSessionInvalidFrames = MAX_INVALID_FRAMES;
}
