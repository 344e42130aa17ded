import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded by Node's test runner before each test file: ends a file that stays alive after its last test, and says what keeps
 * it alive. Node's runner would wait for it for ever.
 */

/** How long a file may take to close what it has opened, in milliseconds. */
const TIMEOUT_MS = 60_000;

if (isMainThread && process.env['NODE_TEST_CONTEXT']) {
    after(() => {
        setTimeout(() => {
            const open = process.getActiveResourcesInfo().join(', ');
            console.error(`${process.argv[1]} has run its tests and does not end. Open: ${open}`);
            process.exit(1);
        }, TIMEOUT_MS).unref();
    });
}
