import type { SecureServerOptions } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/**
 * Frames of a connection that break the protocol of a stream, over its life; one more ends the connection. Each makes an
 * object that is thrown away.
 */
const MAX_INVALID_FRAMES = 100;

/**
 * Sets bounds of HTTP/2 sessions for which grpc-js has no option. Its servers are made with `commonServerOptions`, which is
 * private; test/integration/rpc-floods.test.ts fails where they are not any more.
 */
export function boundSessions(server: Server): void {
    const { commonServerOptions } = server as unknown as { commonServerOptions: SecureServerOptions };
    commonServerOptions.maxSessionInvalidFrames = MAX_INVALID_FRAMES;
}
