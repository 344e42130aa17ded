import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { TLSSocket } from 'node:tls';
import { checkDatabase } from '../../../deploy/local/databases/check-database.ts';
import { openDatabase, sql } from '../../../platform/postgres/db.ts';
import { isMigrated, migrate } from '../../../platform/postgres/migrate.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { authority, type Certified } from '../../support/certificates.ts';
import { quiet } from '../../support/harness.ts';

/** The first message of a client that wants TLS: its length, and a number that PostgreSQL has reserved for it. */
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');

const trusted = authority('trusted');
const dir = mkdtempSync(join(tmpdir(), 'tls-'));
after(() => rmSync(dir, { recursive: true }));
const trustedFile = join(dir, 'trusted.pem');
writeFileSync(trustedFile, trusted.cert);

/** What a client has sent to the server before the server closed the connection. */
type Seen = 'user name in clear text' | 'user name over TLS' | 'no user name';

interface FakePostgres {
    port: number;
    /** Of each connection, since the list was emptied. */
    seen: Promise<Seen>[];
}

/** Stands for a PostgreSQL with TLS. It closes each connection at the message that names the user. */
async function fakePostgres({ cert, key }: Certified): Promise<FakePostgres> {
    const fake: FakePostgres = { port: 0, seen: [] };
    const server = createServer((socket) => {
        const { promise, resolve } = Promise.withResolvers<Seen>();
        fake.seen.push(promise);
        socket.on('error', () => {}); // the client has closed it
        socket.once('close', () => resolve('no user name'));
        socket.once('data', (first) => {
            if (!first.equals(SSL_REQUEST)) {
                resolve('user name in clear text');
                socket.destroy();
                return;
            }
            socket.write('S');
            const tls = new TLSSocket(socket, { isServer: true, cert, key });
            tls.on('error', () => {}); // the client refuses the certificate
            tls.once('close', () => resolve('no user name'));
            tls.once('data', () => {
                resolve('user name over TLS');
                tls.destroy();
            });
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close());
    return Object.assign(fake, { port: (server.address() as AddressInfo).port }); // it listens on TCP
}

async function ask(url: string): Promise<void> {
    const db = await openDatabase({ url, size: 1, pooled: false, metrics: createMetrics() });
    await db.rows(sql.unsafe`SELECT 1`).finally(() => db.close());
}

const CLIENTS: Record<string, (url: string) => Promise<unknown>> = {
    'the check of npm start': checkDatabase,
    'the migrations': (url) => migrate(url, { schemas: [], log: quiet }),
    'a role that waits for the migrations': (url) => isMigrated(url, []),
    'a role': ask,
};

const good = await fakePostgres(trusted.certify('postgres'));
const foreign = await fakePostgres(authority('foreign').certify('postgres'));

for (const [client, connect] of Object.entries(CLIENTS)) {
    /** What the server has seen of the client. */
    const seenOf = async (server: FakePostgres, query: string): Promise<readonly Seen[]> => {
        server.seen.length = 0;
        await assert.rejects(connect(`postgresql://ada:secret@127.0.0.1:${server.port}/x${query}`));
        return Array.from(new Set(await Promise.all(server.seen)));
    };

    describe(`${client} connects`, () => {
        it('in clear text, if the URL asks for nothing else', async () => {
            assert.deepEqual(await seenOf(good, ''), ['user name in clear text']);
        });
        it('over TLS to a server that the named authority has certified, and to no other', async () => {
            for (const mode of ['require', 'verify-full']) {
                const query = `?sslmode=${mode}&sslrootcert=${trustedFile}`;
                assert.deepEqual(await seenOf(good, query), ['user name over TLS']);
                assert.deepEqual(await seenOf(foreign, query), ['no user name']);
            }
            assert.deepEqual(await seenOf(good, '?sslmode=require'), ['no user name'], 'Node does not know it');
        });
        it('over TLS to any server, if the certificate shall not be verified', async () => {
            assert.deepEqual(await seenOf(foreign, '?sslmode=no-verify'), ['user name over TLS']);
        });
    });
}
