import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/**
 * Node's test runner loads this in each process that runs test files. It ends a process that stays alive after its last
 * test, and prints what keeps it alive. Node's runner would wait for it for ever.
 */

/** Time that a file gets to close what it has opened, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** False in the process that only starts those of the files. */
const runsTests = process.env['NODE_TEST_CONTEXT'] || process.execArgv.includes('--test-isolation=none');

if (isMainThread && runsTests) {
    after(() => {
        setTimeout(() => {
            const open = process.getActiveResourcesInfo().join(', ');
            console.error(`${process.argv[1]} has run its tests but does not end. Open resources: ${open}`);
            process.exit(1);
        }, TIMEOUT_MS).unref();
    });
}
