import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Checks `X-Internal-Secret` against the valid secrets, in constant time. */
export function internalSecret(secrets: readonly string[]): (request: IncomingMessage) => boolean {
    const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
    const valid = secrets.map(digest);
    return (request) => {
        const sent = request.headers['x-internal-secret'];
        if (typeof sent !== 'string') return false; // sent twice, it comes joined, and matches none
        const offered = digest(sent);
        // Every secret is compared, even after one has matched.
        return valid.map((secret) => timingSafeEqual(secret, offered)).includes(true);
    };
}
