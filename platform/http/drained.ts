import type { ServerResponse } from 'node:http';

/** Resolves when the response can take more data, or when the client has disconnected. */
export function drained(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
        const done = () => {
            response.off('drain', done).off('close', done);
            resolve();
        };
        response.on('drain', done).on('close', done);
    });
}
