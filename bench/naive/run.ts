import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { newId } from '../../platform/ids.ts';
import { ask, startChild } from '../children.ts';
import type { Workload } from '../jobs/job.ts';
import type { Outcome } from '../outcome.ts';
import { runJob } from '../run-job.ts';
import { NODE_FLAGS, type Stack } from '../stack.ts';
import type { World } from '../world.ts';
import type { NaiveAnswer, NaiveTask } from './server.ts';

const MIGRATION = new URL('../../services/credentials/migrations/001_credentials.sql', import.meta.url);

export const NAIVE_JOBS: readonly string[] = ['issue', 'verify', 'verify-revocation'];

interface Naive extends AsyncDisposable {
    measure(job: Workload): Promise<Outcome>;
}

/**
 * Starts the naive service for the same requests. It uses the same PostgreSQL, and a table with the same columns and
 * indexes.
 */
export async function openNaive(options: {
    stack: Stack;
    world: World;
    requestsFile: string;
    seconds: number;
    connections: number;
    processes: number;
}): Promise<Naive> {
    const { stack, world, processes, ...load } = options;
    const closing = new AsyncDisposableStack();
    const url = await createDatabase(stack);
    const db = new Client({ connectionString: url });
    await db.connect();
    closing.defer(() => db.end());
    await db.query(`CREATE SCHEMA credentials; ${readFileSync(MIGRATION, 'utf8')}`);
    const child = startChild(new URL('server.ts', import.meta.url), NODE_FLAGS);
    closing.defer(async () => void child.kill());
    const task: NaiveTask = { databaseUrl: url, processes };
    const { port, pids } = await ask<NaiveAnswer>(child, task);
    const targets = [{ host: '127.0.0.1', port }];
    const groups = { naive: [child.pid, ...pids], postgres: stack.groups['postgres'] ?? [] };
    const environment = { world, db, credentialId: newId };
    return {
        measure: async (job) => (await runJob({ job, ...load, targets, groups, environment })).outcome,
        [Symbol.asyncDispose]: () => closing.disposeAsync(),
    };
}

async function createDatabase({ adminUrl, databaseUrl }: Stack): Promise<string> {
    const admin = new Client({ connectionString: adminUrl });
    await admin.connect();
    await admin.query('CREATE DATABASE naive OWNER credentials').finally(() => admin.end());
    return Object.assign(new URL(databaseUrl), { pathname: '/naive' }).href;
}
