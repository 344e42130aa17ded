import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { INTERNAL_SECRET } from '../../../e2e/support/client.ts';
import { assertRefused, type Connection, open, requestText, withConnection } from '../../../e2e/support/socket.ts';

const HEAD = requestText('POST /internal/v1/admin/users/import', [
    `X-Internal-Secret: ${INTERNAL_SECRET}`,
    'Content-Type: application/x-ndjson',
    'Transfer-Encoding: chunked',
]);

function writeChunk(connection: Connection, text: string): void {
    connection.write(`${text.length.toString(16)}\r\n${text}\r\n`);
}

describe('an import', () => {
    it('whose sender stops gets 408 if no line is answered, and otherwise breaks off', {
        timeout: 60_000,
    }, async () => {
        const silent = withConnection(async (connection) => {
            connection.write(HEAD);
            writeChunk(connection, '{}\n');
            assertRefused(await connection.next(), 408);
            await connection.closed(8_000); // what may follow is dropped for 5 s
        });
        const halfway = withConnection(async (connection) => {
            connection.write(HEAD);
            writeChunk(connection, '{}\n'.repeat(501));
            assert.equal(await connection.status(), 200);
            await connection.closed(20_000);
        });
        await Promise.all([silent, halfway]);
    });

    it('may take longer than other requests if its lines go on arriving', { timeout: 60_000 }, () =>
        withConnection(async (connection) => {
            connection.write(HEAD);
            const pace = setInterval(() => writeChunk(connection, '{}\n'), 3_000);
            await new Promise((resolve) => setTimeout(resolve, 18_000)); // a request may take 15 s
            clearInterval(pace);
            connection.write('0\r\n\r\n');
            assert.equal((await connection.next())?.status, 200);
        }),
    );

    it('whose client does not read the answer is cut', { timeout: 120_000 }, async () => {
        const connection = open();
        connection.pause();
        connection.write(HEAD);
        // Each answer is longer than its line: 9 MB in all, more than the kernel and the gateway hold.
        for (let sent = 0; sent < 90_000; sent += 500) writeChunk(connection, '{}\n'.repeat(500));
        // A client that does not read learns of the cut when it writes.
        const writing = setInterval(() => writeChunk(connection, '{}\n'), 1_000);
        await connection.closed(100_000).finally(() => clearInterval(writing)); // a stalled reader has 30 s
    });
});
