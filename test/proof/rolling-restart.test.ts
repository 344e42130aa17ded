import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '../../client/src/client.ts';
import { balancer, keptAlive } from '../full/process/service/balanced-connection.ts';
import { startService, type TestService } from '../support/service.ts';

/** `npm run proof -- rolling` restarts every process until this many requests were answered. */
const WHOLE_RUN = process.env['ROLLING_REQUESTS'];
/** Minimum number of requests. */
const REQUESTS = Number(WHOLE_RUN ?? 1_000);
const CLIENTS = 8;
/** The pause between the requests of a client, in milliseconds. It leaves CPU time for processes that start. */
const PAUSE_MS = 20;

const logDir = mkdtempSync(join(tmpdir(), 'rolling-'));
after(() => rmSync(logDir, { recursive: true }));

/** SERVICE_TOKEN in each round of restarts. Three rounds replace one token by the other, three more bring it back. */
const TOKENS = ['first', 'first,second', 'second,first', 'second', 'second,first', 'first,second'];
const tokenFile = join(logDir, 'service-token');
const rotate = (round: number) => writeFileSync(tokenFile, TOKENS[round % TOKENS.length] as string); // below the length

it('restarts of one process after the other fail no request, nor does a rotation of the service token', async () => {
    rotate(0);
    const service = await startService({
        transport: 'grpc',
        replicas: 2,
        // npm test sets all three
        adminUrl: process.env['TEST_ADMIN_URL'] as string,
        databaseUrl: process.env['TEST_DATABASE_URL'] as string,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        logDir,
        settings: {
            DATABASE_POOL: '2',
            SIGNATURE_THREADS: '1',
            PASSWORD_THREADS: '1',
            RATE_WINDOW_SECONDS: '1',
            SERVICE_TOKEN_FILE: tokenFile,
        },
    });
    after(() => service.stop());
    const requests = await someRequests(service);
    const gateways = gatewaysOf(service);
    after(() => gateways.close());
    const seen = { answered: 0, failures: [] as string[], over: false };
    const clients = Array.from({ length: CLIENTS }, async (_, first) => {
        const connection = keptAlive(gateways.open);
        const client = createClient({ base_url: 'http://balanced', tries: 1, fetch: connection.send });
        for (let turn = first; !seen.over; turn++) {
            const [name, run] = requests[turn % requests.length] as NamedRequest; // below the length
            await run(client).then(
                () => seen.answered++,
                (error: Error) => seen.failures.push(`${name}: ${error.message} (${error.cause ?? 'no cause'})`),
            );
            await delay(PAUSE_MS);
        }
        connection.close();
    });
    try {
        let round = 0;
        do {
            rotate(++round);
            for (const index of restarted(service)) await service.restart(index);
        } while (seen.answered < REQUESTS && seen.failures.length === 0);
        console.log(`${round} rounds of restarts`);
    } finally {
        seen.over = true;
        await Promise.all(clients);
    }
    console.log(`${seen.answered} requests answered, ${seen.failures.length} failed`);
    assert.deepEqual(seen.failures, []);
});

/** The processes that a round restarts, as indexes of `ops`: all of them or, in a short run, one of each role. */
function restarted({ ops }: TestService): number[] {
    const all = [...ops.keys()];
    return WHOLE_RUN ? all : all.filter((index) => ops.findIndex(({ role }) => role === ops[index]?.role) === index);
}

type NamedRequest = [name: string, run: (client: Client) => Promise<unknown>];

/** The requests of the clients. Together they use every service. */
async function someRequests({ env }: TestService): Promise<NamedRequest[]> {
    Object.assign(process.env, env); // the end-to-end helpers find the service by these
    const { issueBody, newAccount, newDid, newKey, newWallet, presentationBody, issue } = await import(
        '../e2e/support/world.ts'
    );
    const session = await newAccount();
    const { api_key: token } = await newKey(session);
    const issuer = await newDid(token);
    const { did } = issuer;
    const { credential } = await issue(token, issuer);
    const { wallet_id, password } = await newWallet(token);
    const checked = { credential, issuer_did: did, check_revocation: true };
    return [
        ['issue', (client) => client.as({ token }).credentials.issue(issueBody(issuer, 'did:web:subject.example'))],
        ['verify', (client) => client.as({ token }).credentials.verify(checked)],
        ['resolve', (client) => client.as({ token }).did.resolve({ did })],
        ['list', (client) => client.as({ token }).credentials.byIssuer({ issuer_did: did, limit: 10 })],
        ['present', (client) => client.as({ token }).presentations.create(presentationBody(issuer, [credential]))],
        ['open', (client) => client.as({ token }).wallets.open({ wallet_id, password })],
        ['me', (client) => client.as({ token: session.token }).me.get()],
        ['stats', (client) => client.as({ token: session.token }).me.stats()],
    ];
}

function gatewaysOf({ env, ops }: TestService) {
    const targets = ops.filter(({ role }) => role === 'gateway').map(({ target }) => target);
    const ports = (env['E2E_URLS'] as string).split(',').map((url) => Number(new URL(url).port));
    // There is one target for each port.
    return balancer(ports.map((port, index) => ({ port, ops: targets[index] as string })));
}
