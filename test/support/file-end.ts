import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/**
 * Node's test runner loads this before each test file. It ends a file that stays alive after its last test, and prints
 * what keeps the file alive. Node's runner would wait for it for ever.
 */

/** Time that a file gets to close what it has opened, in milliseconds. */
const TIMEOUT_MS = 60_000;

if (isMainThread && process.env['NODE_TEST_CONTEXT']) {
    after(() => {
        setTimeout(() => {
            const open = process.getActiveResourcesInfo().join(', ');
            console.error(`${process.argv[1]} has run its tests but does not end. Open resources: ${open}`);
            process.exit(1);
        }, TIMEOUT_MS).unref();
    });
}
