import type { Bed } from '../bed.ts';
import { issueBatch } from '../jobs/credentials.ts';
import { type BenchEnvironment, requestsFor, times, type Workload } from '../jobs/job.ts';
import type { OpenLoopResult } from '../load/open-loop.ts';
import { type HttpRequest, writeRequests } from '../load/requests.ts';
import { measureOpenLoad } from '../load/run.ts';
import { figure, table } from '../table.ts';

/** Batches that the account sends at the same moment, and their items. */
const BATCHES = 54;
const ITEMS = 1_000;
/** Batches for each of its keys: their items are within the limit of a key. */
const BATCHES_OF_KEY = 9;
/** Single calls per second of other accounts: few enough for a machine that is busy with the batches. */
const RATE = 100;
const WARMUP_S = 1;
const SECONDS = 8;
const WAITING_CLIENTS = 1_000;

/**
 * Measures single calls of other accounts, alone and while one account sends BATCHES batches that issue. Returns true
 * if all single calls were answered as expected.
 */
export async function besideBatches({ stack, environment, requestsFile }: Bed, job: Workload): Promise<boolean> {
    const { gateways: targets, groups } = stack;
    writeRequests(requestsFile, await requestsFor(job, (WARMUP_S + SECONDS) * 0.1, environment));
    const plan = {
        targets,
        requestsFile,
        rate: RATE,
        connections: WAITING_CLIENTS,
        warmupS: WARMUP_S,
        seconds: SECONDS,
    };
    const alone = await measureOpenLoad(plan, groups);
    const batches = await batchesOfOne(environment);
    const [beside, statuses] = await Promise.all([
        measureOpenLoad(plan, groups),
        Promise.all(batches.map((batch) => send(stack, batch))),
    ]);
    const { status } = job.expected;
    const rows = [row('alone', alone, status), row(`beside ${BATCHES} batches`, beside, status)];
    const answered = statuses.filter((one) => one === 200).length;
    const slower = p99(beside, status) / p99(alone, status);
    console.log(`\n${table(['single calls', 'offered', 'answered', 'refused', 'p50 ms', 'p99 ms'], rows)}\n`);
    console.log(
        `${answered} of the ${BATCHES} batches of ${ITEMS} were answered with 200; p99 is ${figure(slower)} ×.\n`,
    );
    return [alone, beside].every(({ answers, offered }) => answers[status]?.count === offered);
}

function row(name: string, { offered, answers }: OpenLoopResult, status: number): string[] {
    const answered = answers[status];
    const { count = 0, latency } = answered ?? {};
    return [
        name,
        String(offered),
        String(count),
        String(offered - count),
        figure(latency?.p50 ?? 0),
        figure(latency?.p99 ?? 0),
    ];
}

function p99({ answers }: OpenLoopResult, status: number): number {
    return answers[status]?.latency.p99 ?? 0;
}

/** The batches of one account, with several keys: all of them are within the rate limit. */
async function batchesOfOne({ world }: BenchEnvironment): Promise<HttpRequest[]> {
    const { token } = world.accountOf(0);
    const keys = await Promise.all(
        times(Math.ceil(BATCHES / BATCHES_OF_KEY), () =>
            world.call({ path: '/v1/keys/generate', token, body: { name: 'batches', tier: 'enterprise' } }),
        ),
    );
    return times(BATCHES, (index) => issueBatch(index, ITEMS, String(keys[index % keys.length]?.['api_key'])));
}

/** Sends the batch from this process. Returns the status of the answer. */
async function send({ gateways }: Bed['stack'], { method, path, token, body }: HttpRequest): Promise<number> {
    const { host, port } = gateways[0] as Bed['stack']['gateways'][number]; // there is at least one
    const answer = await fetch(`http://${host}:${port}${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
    });
    await answer.arrayBuffer();
    return answer.status;
}
