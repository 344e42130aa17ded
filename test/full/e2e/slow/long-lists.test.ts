import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CONNECTION, expectError, expectOk, GATEWAYS, PROCESSES, send } from '../../../e2e/support/client.ts';
import { credentialsOf } from '../../../e2e/support/database.ts';
import { type Connection, open, requestText } from '../../../e2e/support/socket.ts';
import { type Account, newAccount, newDid, newKey } from '../../../e2e/support/world.ts';

interface Issuer {
    account: Account;
    token: string;
    path: string;
    /** Newest first. */
    ids: string[];
}

/** Creates an account with `count` credentials of one issuer, inserted directly into the database. */
async function newIssuer(count: number): Promise<Issuer> {
    const account = await newAccount();
    const { api_key: token } = await newKey(account);
    const { did } = await newDid(token);
    const node = randomBytes(4).toString('hex'); // keeps the ids different from those of other tests
    const db = await credentialsOf({ issuer: did });
    const { rows } = await db.query(
        `WITH made AS (
            INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type)
            SELECT ('01890000-0000-7000-8000-' || $1 || lpad(to_hex(n), 4, '0'))::uuid, $2, now(), $3,
                'did:web:subject' || n || '.example', 'T' || n
            FROM generate_series(1, $4::int) n
            RETURNING id
        )
        SELECT 'urn:uuid:' || id AS id FROM made ORDER BY made.id DESC`,
        [node, account.user_id, did, count],
    );
    return { account, token, path: `/v1/credentials/by-issuer/${did}`, ids: rows.map(({ id }) => id) };
}

const idsOf = (rows: Array<{ credential_id: string }>) => rows.map(({ credential_id }) => credential_id);

describe('a long list', () => {
    for (const count of [999, 1_000, 1_001, 2_000, 3_100]) {
        it(`of ${count} rows is complete, in order, with its total`, async () => {
            const { token, path, ids } = await newIssuer(count);
            const answer = await send({ path, token });
            assert.equal(answer.status, 200);
            assert.deepEqual(Object.keys(answer.data), ['credentials', 'total']);
            assert.equal(answer.data.total, count);
            assert.deepEqual(idsOf(answer.data.credentials), ids);
            assert.equal(answer.headers.get('link'), null);
        });
    }

    it('can be paged through without missing or repeated rows', async () => {
        const { token, path, ids } = await newIssuer(2_345);
        for (const limit of [100, 999, 1_000]) {
            const seen: string[] = [];
            for (let next: string | undefined = `${path}?limit=${limit}`; next !== undefined; ) {
                const { status, data, headers } = await send({ path: next, token });
                assert.equal(status, 200);
                assert.equal(data.total, ids.length);
                seen.push(...idsOf(data.credentials));
                next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
            }
            assert.deepEqual(seen, ids);
        }
    });

    it('has no body in the answer to HEAD', async () => {
        const { token, path } = await newIssuer(1_500);
        const { status, text } = await send({ method: 'HEAD', path, token });
        assert.deepEqual([status, text], [200, '']);
    });
});

describe('a client that stops reading its list', { concurrency: true }, () => {
    // More rows than all buffers between the database and the client can hold.
    const MANY = 65_000;

    /** Requests the list of an issuer. Stops reading when the answer has begun, or returns undefined if it is refused. */
    async function tryReading({ token, path }: Issuer): Promise<Connection | undefined> {
        const connection = open();
        connection.write(requestText(`GET ${path}`, [`Authorization: Bearer ${token}`]));
        const status = await connection.status();
        if (status === 200) {
            connection.pause();
            return connection;
        }
        assert.equal(status, 429);
        connection.destroy();
        return undefined;
    }

    async function startReading(issuer: Issuer): Promise<Connection> {
        const connection = await tryReading(issuer);
        assert.ok(connection, 'the list is not refused');
        return connection;
    }

    /** Reads lists until all places of the account are taken. If several processes share the port, each has places. */
    async function takeAllPlaces(issuer: Issuer): Promise<Connection[]> {
        const readers: Connection[] = [];
        // The kernel chooses the process of each connection, so many must be refused before all have probably refused.
        for (let refusals = PROCESSES === 1 ? 0 : 20; refusals >= 0; ) {
            const reader = await tryReading(issuer);
            if (reader) readers.push(reader);
            else refusals--;
        }
        assert.equal(readers.length, 2 * PROCESSES);
        return readers;
    }

    it('holds one of two places of its account: a third list is refused, and other calls are served', async () => {
        const issuer = await newIssuer(MANY);
        const { token, path } = issuer;
        const readers = await takeAllPlaces(issuer);

        const { headers, body } = await expectError(429, { path, token });
        assert.equal(headers.get('retry-after'), '1');
        assert.equal(headers.get('x-error-code'), 'rate_limited');
        assert.match(body.error, /^Limit of 2 .*Try again in 1 second/);
        assert.equal(await statusOf(path, (await newKey(issuer.account)).api_key), 429);
        assert.equal((await expectOk(200, { path: `${path}?limit=10`, token })).total, MANY);
        const { did } = await newDid(token);
        await expectError(429, { path: `/v1/credentials/by-issuer/${did}`, token });
        await expectError(429, { path: '/v1/keys', token: issuer.account.token });
        await expectOk(200, { path: '/v1/keys?limit=10', token: issuer.account.token });
        const other = await newIssuer(1_200);
        assert.equal((await expectOk(200, { path: other.path, token: other.token })).total, 1_200);

        readers[0]?.destroy();
        await until(async () => (await statusOf(path, token)) === 200);
        for (const reader of readers) reader.destroy();
    });

    it('gets the whole list if it resumes later than the deadline of a call', async () => {
        const issuer = await newIssuer(MANY);
        const connection = await startReading(issuer);
        await delay(11_000);
        connection.resume();
        const answer = await connection.next();
        assert.equal(answer?.status, 200);
        const { credentials, total } = JSON.parse(answer.body).data;
        assert.equal(total, MANY);
        assert.deepEqual(idsOf(credentials), issuer.ids);
        connection.destroy();
    });
});

/** Requests a list, and returns its status without reading the body. */
async function statusOf(path: string, token: string): Promise<number> {
    const headers = { ...CONNECTION, authorization: `Bearer ${token}` };
    const response = await fetch(`${GATEWAYS[0]}${path}`, { headers });
    await response.body?.cancel();
    return response.status;
}

async function until(reached: () => Promise<boolean>): Promise<void> {
    const giveUp = performance.now() + 10_000;
    while (!(await reached())) {
        assert.ok(performance.now() < giveUp, 'the condition was not reached within 10 s');
        await delay(20);
    }
}
