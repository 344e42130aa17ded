import '../../deploy/local/node-version.ts';
import { execSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { runAndClose } from '../../bench/bed.ts';
import { startRedis } from '../../deploy/local/databases/redis.ts';
import { isReady, startService } from '../../test/support/service.ts';
import { uuidOf } from '../../tokens/credential-id.ts';
import { type PartLoad, schemaOf, startLoad } from './load.ts';

/**
 * `npm run proof -- citus --database URL --kill COMMAND --start COMMAND [--parts 4] [--seconds 10]`: issues credentials in
 * all parts, on an empty database of a given Citus, kills one of its nodes and starts it again, and then moves the schema
 * of each part to another node. It fails if a credential is lost that was acknowledged, if an answer is neither a success
 * nor 503 with Retry-After, or if a part on a living node refuses a call meanwhile.
 */

type Options = ReturnType<typeof optionsOf>;

function optionsOf(args: string[]) {
    const text = { type: 'string' } as const;
    const options = { database: text, kill: text, start: text, parts: text, seconds: text };
    const { database, kill, start, parts = '4', seconds = '10' } = parseArgs({ args, options }).values;
    if (!database || !kill || !start) throw new Error('Needed: --database URL --kill COMMAND --start COMMAND');
    return { database, kill, start, parts: Number(parts), seconds: Number(seconds) };
}

async function prove(closing: AsyncDisposableStack, options: Options): Promise<boolean> {
    const { database, parts } = options;
    const folder = mkdtempSync(join(tmpdir(), 'citus-'));
    closing.defer(() => rmSync(folder, { recursive: true }));
    const redis = await startRedis({ dataDir: folder, log: () => {} });
    closing.defer(() => redis.stop());
    const places = { adminUrl: database, databaseUrl: database, citus: { parts }, redisUrl: redis.url, logDir: folder };
    const service = await startService({ transport: 'local', gateways: 1, ...places });
    closing.defer(() => service.stop());
    const db = new Client({ connectionString: database });
    await db.connect();
    closing.defer(() => db.end());
    const load = await startLoad(service.env, parts);

    const refused = await loseNode({ load, db, target: service.ops[0]?.target ?? '' }, options);
    for (let part = 0; part < parts; part++) {
        const ms = await move(db, schemaOf(part));
        console.log(`\n${schemaOf(part)} is on another node after ${ms} ms:\n${load.table()}`);
    }
    const acknowledged = await load.stop();
    const lost = await missing(db, acknowledged);
    console.log(`\n${acknowledged.flat().length} acknowledged, ${lost} lost, ${load.wrong.length} wrong answers`);
    for (const answer of load.wrong.slice(0, 20)) console.log(answer);
    return lost === 0 && load.wrong.length === 0 && refused === 0;
}

interface Losing {
    load: PartLoad;
    db: Client;
    target: string;
}

/** Resolves to how many credentials the parts on living nodes have refused while a node was away. */
async function loseNode({ load, db, target }: Losing, { kill, start, parts, seconds }: Options): Promise<number> {
    await delay(seconds * 1_000);
    console.log(`\nAll nodes serve:\n${load.table()}`);
    execSync(kill, { stdio: 'inherit' });
    await delay(seconds * 1_000);
    const living = await answering(db, parts);
    if (living.length === 0 || living.length === parts) throw new Error('The node has all parts, or none.');
    for (const part of living) await load.useAll(part);
    const refused = living.reduce((sum, part) => sum + load.refusedIn(part), 0);
    const readyz = await (await fetch(`http://${target}/readyz`)).text();
    console.log(`\nA node is lost:\n${load.table()}\n${readyz}`);
    console.log(`${living.map(schemaOf).join(', ')}: all calls work, ${refused} credentials refused`);
    execSync(start, { stdio: 'inherit' });
    const startedAt = performance.now();
    while (!(await load.issuesInAll())) await delay(50);
    while (!(await isReady(target))) await delay(50);
    console.log(`All parts issue again ${Math.round(performance.now() - startedAt)} ms after the node has started.`);
    load.table(); // the tallies begin anew
    return refused;
}

/** The parts whose nodes answer. */
async function answering(db: Client, parts: number): Promise<number[]> {
    const living: number[] = [];
    for (let part = 0; part < parts; part++) {
        const found = db.query(`SELECT FROM ${schemaOf(part)}.credentials LIMIT 1`);
        if (
            await found.then(
                () => true,
                () => false,
            )
        )
            living.push(part);
    }
    return living;
}

/** Moves a schema to a node where it is not. Returns how long that took, in milliseconds. */
async function move(db: Client, schema: string): Promise<number> {
    const began = performance.now();
    const { rowCount } = await db.query(
        `SELECT citus_schema_move($1::regnamespace, nodename, nodeport) FROM pg_dist_node
         WHERE shouldhaveshards AND (nodename, nodeport) NOT IN (
             SELECT here.nodename, here.nodeport FROM citus_shards AS here JOIN pg_class ON oid = table_name
             WHERE relnamespace = $1::regnamespace)
         LIMIT 1`,
        [schema],
    );
    if (rowCount === 0) throw new Error(`There is no other node for ${schema}.`);
    return Math.round(performance.now() - began);
}

/** Returns how many of these credentials, by part, are not in the database. */
async function missing(db: Client, acknowledged: readonly string[][]): Promise<number> {
    let lost = 0;
    for (const [part, ids] of acknowledged.entries()) {
        const statement = `SELECT count(*)::int AS found FROM ${schemaOf(part)}.credentials WHERE id = ANY($1)`;
        const { rows } = await db.query<{ found: number }>(statement, [ids.map(uuidOf)]);
        lost += ids.length - (rows[0]?.found ?? 0);
    }
    return lost;
}

await runAndClose(optionsOf, prove);
