import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Node's test runner loads this in each process that runs test files. It gives the process a numbered database of this run's Redis for
 * itself, and empties it. So what one file counts, rolls up or schedules does not affect the files of other processes.
 */

/** Number of databases that Redis has by default. The service of the end-to-end tests uses number 0. */
const DATABASES = 16;
const given = process.env['TEST_REDIS_URL'];
/** False in the process that only starts those of the files. */
const runsTests = process.env['NODE_TEST_CONTEXT'] || process.execArgv.includes('--test-isolation=none');

if (isMainThread && runsTests && given) {
    const url = new URL(given);
    if (url.pathname === '/0') {
        url.pathname = `/${await takeDatabase(url.port)}`;
        process.env['TEST_REDIS_URL'] = url.href;
        await empty(url);
    }
}

/**
 * Takes a database that no other running file has taken. A file takes a database by listening on an abstract socket,
 * which the kernel frees when the process ends.
 */
async function takeDatabase(run: string): Promise<number> {
    for (let database = 1; database < DATABASES; database++) {
        const lease = createServer().listen(`\0credential-test-redis-${run}-${database}`).unref();
        const taken = await once(lease, 'listening').catch((error: NodeJS.ErrnoException) => error);
        if (Array.isArray(taken)) return database;
        if (taken.code !== 'EADDRINUSE') throw taken;
    }
    throw new Error('More test files run at once than Redis has databases.');
}

/** Empties the database. Uses no library, because this code runs before each file and must load fast. */
async function empty(url: URL): Promise<void> {
    const socket = connect(Number(url.port), url.hostname).setEncoding('utf8');
    let answers = '';
    socket.on('data', (text: string) => {
        answers += text;
    });
    socket.write(`AUTH ${url.password}\r\nSELECT ${url.pathname.slice(1)}\r\nFLUSHDB\r\nQUIT\r\n`);
    await once(socket, 'end');
    if (answers !== '+OK\r\n'.repeat(4)) throw new Error(`Redis has not emptied the database: ${answers}`);
}
