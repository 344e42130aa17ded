import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createClient } from '../../client/src/client.ts';
import { readStatusList, statusAt } from '../../verify/src/status-list.ts';
import { startService } from '../support/service.ts';

/** `npm run proof -- killed` kills this often. */
const KILLS = Number(process.env['KILLED_PUBLISHERS'] ?? 6);
/** Number of credentials that are issued, and of revocations, between two kills. */
const ROUND = 30;
/** STATUS_LIST_SECONDS. The publisher runs every second. */
const SECONDS = 3;
/** Time from the last kill until the list must show every revocation, in milliseconds: the processes start again. */
const RECOVERY_MS = 30_000;

const logDir = mkdtempSync(join(tmpdir(), 'killed-publisher-'));
after(() => rmSync(logDir, { recursive: true }));
const service = await startService({
    transport: 'grpc',
    // npm test sets all three
    adminUrl: process.env['TEST_ADMIN_URL'] as string,
    databaseUrl: process.env['TEST_DATABASE_URL'] as string,
    redisUrl: process.env['TEST_REDIS_URL'] as string,
    logDir,
    settings: { STATUS_LIST_SECONDS: String(SECONDS), SIGNATURE_THREADS: '1', PASSWORD_THREADS: '1' },
});
after(() => service.stop());
const { E2E_URLS = '', E2E_INTERNAL_SECRET: internalSecret = '', E2E_DATABASE_URL } = service.env;
const [url = ''] = E2E_URLS.split(',');
const { internal, statusLists } = createClient({
    base_url: url,
    internal_secret: internalSecret,
    timeout_ms: 60_000,
    tries: 20,
});
const db = new Client({ connectionString: E2E_DATABASE_URL });
db.on('error', () => {}); // the database is dropped before the connection is closed
await db.connect();
after(() => db.end());

interface Row {
    list_id: string;
    issuer_did: string;
    public_url: string;
    status_index: number;
    revoked: boolean;
}

/** Every credential with a place, as the table has it. */
async function rows(): Promise<Row[]> {
    const read = await db.query<Row>(`
        SELECT list_id, issuer_did, public_url, status_index, revoked_at IS NOT NULL AS revoked
        FROM credentials.credentials JOIN credentials.status_lists ON list = status_list`);
    return read.rows;
}

/** The number of credentials whose status differs between the table and the published lists. */
async function differences(): Promise<number> {
    const all = await rows();
    const lists = new Map<string, Awaited<ReturnType<typeof readStatusList>>>();
    for (const { list_id, public_url, issuer_did: iss } of all) {
        if (lists.has(list_id)) continue;
        const place = { uri: `${public_url}/v1/status-lists/${list_id}`, iss };
        lists.set(list_id, await readStatusList(await statusLists.get({ list_id }), place));
    }
    return all.filter(({ list_id, status_index, revoked }) => {
        const list = lists.get(list_id) ?? assert.fail('a credential names a list that cannot be read');
        return statusAt(list, status_index) !== Number(revoked);
    }).length;
}

it('a published list agrees with the rows, whenever the publisher and the signing service are killed', async () => {
    const { did: issuerDid, private_key: issuerPrivateKey = '' } = await internal.did.create();
    const item = { subject_did: 'did:web:subject.example', credential_type: 'T', claims: {} };
    const issued: string[] = [];
    const work = async () => {
        const body = {
            issuer_did: issuerDid,
            issuer_private_key: issuerPrivateKey,
            status_list: true,
            items: Array(ROUND).fill(item),
        };
        const { results } = await internal.credentials.batch.issue(body);
        issued.push(...results.flatMap((result) => (result.ok ? result.credential_id : [])));
        for (let count = 0; count < ROUND; count++) {
            const [credentialId = ''] = issued.splice(randomInt(issued.length), 1);
            await internal.credentials.revoke({ credential_id: credentialId, issuer_did: issuerDid });
        }
    };
    await work();
    for (let kill = 0; kill < KILLS; kill++) {
        const role = kill % 3 === 2 ? 'signing' : 'credentials';
        const index = service.ops.findIndex((process) => process.role === role);
        const working = work();
        await delay(randomInt(1_200)); // anywhere in a run of the publisher, or between two
        await service.restart(index, 'SIGKILL');
        await working;
    }
    const killedAt = performance.now();
    while ((await differences()) > 0) {
        assert.ok(performance.now() - killedAt < RECOVERY_MS, `${await differences()} statuses are not published`);
        await delay(100);
    }
    const all = await rows();
    const places = new Set(all.map(({ list_id, status_index }) => `${list_id} ${status_index}`));
    assert.equal(places.size, all.length, 'no two credentials have the same place');
    assert.ok(all.filter(({ revoked }) => revoked).length >= KILLS * ROUND);
    console.log(
        `${all.length} credentials, ${KILLS} kills, all statuses after ${Math.round(performance.now() - killedAt)} ms`,
    );
});
