import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded by Node's test runner before each test file: of the Redis of this run, it gives the file a numbered database for itself
 * alone, and empties it. What one file counts, folds or schedules is then nothing to the files that run beside it.
 */

/** Redis has so many databases by default. Number 0 is that of the end-to-end tests' service. */
const DATABASES = 16;
const given = process.env['TEST_REDIS_URL'];

if (isMainThread && process.env['NODE_TEST_CONTEXT'] && given) {
    const url = new URL(given);
    if (url.pathname === '/0') {
        url.pathname = `/${await takeDatabase(url.port)}`;
        process.env['TEST_REDIS_URL'] = url.href;
        await empty(url);
    }
}

/** A database that no other living file has taken: each listens at a name, which the kernel gives back when the process ends. */
async function takeDatabase(run: string): Promise<number> {
    for (let database = 1; database < DATABASES; database++) {
        const lease = createServer().listen(`\0credential-test-redis-${run}-${database}`).unref();
        const taken = await once(lease, 'listening').catch((error: NodeJS.ErrnoException) => error);
        if (Array.isArray(taken)) return database;
        if (taken.code !== 'EADDRINUSE') throw taken;
    }
    throw new Error('More test files run at once than Redis has databases.');
}

/** Without a library, since this comes before each file. */
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
