import '../deploy/local/node-version.ts';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startDatabases } from './runner/databases.ts';
import { type Resources, runFiles, sumOf } from './runner/files.ts';
import { lanes } from './runner/lanes.ts';
import { begin, closing, exceptInterrupted } from './runner/lifetime.ts';
import {
    citusRound,
    FAST_ROUND,
    givenRound,
    PRODUCTION_ROUND,
    type Round,
    SLOW_ROUND,
    SPECIAL_ROUNDS,
    startRound,
    titleOf,
} from './runner/rounds.ts';
import { type Counts, cpuSeconds } from './support/reporter.ts';

/**
 * `npm test` runs the fast tier, `npm run test:full` the rest (`--full`), both on a real PostgreSQL and a real Redis that
 * they start. `npm test -- PREFIX…` runs only the files whose path begins with a prefix, of both tiers and of test/proof.
 * `npm run test:citus -- --database URL [--parts N]` runs the end-to-end tests of both tiers on a given Citus, with the
 * credentials in N parts. The last line is `N passed, N failed`, with `, N skipped` if tests were skipped.
 */

/** What runs in an order: parts, which are folders of test/, and rounds of end-to-end tests. */
type Track = ReadonlyArray<string | Round>;

/** The tracks of a tier run at the same time, because they wait a lot. */
const FAST_TRACKS: readonly Track[] = [['integration'], ['unit'], ['contract'], ['vectors'], [FAST_ROUND]];
/** Both take about the same time, so that neither runs alone for long. */
const FULL_TRACKS: readonly Track[] = [
    ['full/integration', ...SPECIAL_ROUNDS],
    [SLOW_ROUND, PRODUCTION_ROUND],
];
/**
 * Parts of the full tier that use both cores. They run before the others, with nothing beside them. They share their
 * lanes, so that no lane is idle while the last file of a part runs, and the one with short files comes last.
 */
const FULL_PARTS_ALONE = ['full/process', 'full/faults', 'full/attack', 'full/deploy'];
/** Tests that only `npm run proof` runs. */
const PROOF_PARTS = ['proof'];
/** Number of processes that run files of the fast tier at the same time. */
const LANES = 4;
/** Number of processes that run files of a track of the full tier at the same time. Other work disturbs these tests. */
const FULL_LANES = 2;

/**
 * CPU time that the fast tier may take, in seconds, without the databases. On two quiet cores it takes half of that, and
 * more beside other work. Wall time would depend on the other work much more. If this is exceeded, make a test cheaper,
 * or move one to test/full.
 */
const BUDGET_S = 1_200;

const {
    values: { full = false, citus = false, database, parts = '1' },
    positionals: asked,
} = parseArgs({
    options: {
        full: { type: 'boolean' },
        citus: { type: 'boolean' },
        database: { type: 'string' },
        parts: { type: 'string' },
    },
    allowPositionals: true,
});
if (citus !== (database !== undefined)) throw new Error('npm run test:citus -- --database URL [--parts N]');

function wanted(pattern: string): string[] {
    const files = globSync(pattern, { exclude: ['**/node_modules/**'] }).sort();
    return asked.length === 0 ? files : files.filter((file) => asked.some((prefix) => file.startsWith(prefix)));
}

/** If E2E_URLS names a running service, the end-to-end tests run once, on that. */
function tracks(): readonly Track[] {
    if (process.env['E2E_URLS']) return [[givenRound()]];
    if (database !== undefined) return [[citusRound({ url: database, parts: Number(parts) })]];
    if (full) return FULL_TRACKS;
    return asked.length === 0 ? FAST_TRACKS : [...FAST_TRACKS, ['full/integration', SLOW_ROUND]];
}

function partsAlone(): readonly string[] {
    if (citus) return [];
    if (asked.length > 0) return [...FULL_PARTS_ALONE, ...PROOF_PARTS];
    return full ? FULL_PARTS_ALONE : [];
}

async function main(): Promise<boolean> {
    const env = await startDatabases();
    const ofPartsAlone = lanes(FULL_LANES);
    const alone = await Promise.all(partsAlone().map((part) => runPart(part, { env, lanes: ofPartsAlone })));
    const shared = lanes(LANES);
    const lanesOfTrack = () => (full ? lanes(FULL_LANES) : shared);
    const beside = await Promise.all(tracks().map((track) => runTrack(track, { env, lanes: lanesOfTrack() })));
    return summarize(sumOf([...alone, ...beside]));
}

async function runTrack(track: Track, resources: Resources): Promise<Counts> {
    const counts: Counts[] = [];
    for (const step of track) {
        const isPart = typeof step === 'string';
        counts.push(await (isPart ? runPart(step, resources) : runRound(step, resources)));
    }
    return sumOf(counts);
}

function runPart(part: string, resources: Resources): Promise<Counts> {
    return runFiles(part, wanted(`test/${part}/**/*.test.ts`), resources);
}

async function runRound(round: Round, resources: Resources): Promise<Counts> {
    const files = round.folders.flatMap((folder) => wanted(`${folder}**/*.test.ts`));
    if (files.length === 0) return sumOf([]);
    if (process.env['E2E_URLS']) return runFiles('end to end, the given service', files, resources);
    const service = await startRound(round, resources.env);
    try {
        return await runFiles(titleOf(round), files, { ...resources, env: { ...resources.env, ...service.env } });
    } finally {
        await service.stop();
    }
}

/** Prints the last lines. Returns whether all tests have passed that must pass here. */
function summarize({ passed, failed, skipped }: Counts): boolean {
    const unlisted = skipped.filter(({ name }) => !mayBeSkipped().has(name));
    for (const { name, reason } of skipped) console.log(`skipped: ${name} (${reason})`);
    for (const { name } of unlisted) console.log(`may not be skipped here (test/skips.txt): ${name}`);
    const cpu = Math.round(cpuSeconds());
    const exceeded = !full && asked.length === 0 && cpu > BUDGET_S;
    if (exceeded) console.log(`The fast tier has taken ${cpu} s of CPU. It may take ${BUDGET_S} s.`);
    console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
    return unlisted.length === 0 && failed === 0 && passed > 0 && !exceeded;
}

/**
 * The names in test/skips.txt. With NO_SKIPS=1, which says that every optional program is installed, only the names
 * marked `always`.
 */
function mayBeSkipped(): Set<string> {
    const lines = readFileSync('test/skips.txt', 'utf8').split('\n');
    const listed = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('\t'));
    const allowed = process.env['NO_SKIPS'] === '1' ? listed.filter(([, , always]) => always === 'always') : listed;
    return new Set(allowed.map(([name = '']) => name));
}

begin();
// Hundreds of processes load the same modules: the tests, and the services that they start.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/compile');
let passed = false;
try {
    passed = await main();
} finally {
    await exceptInterrupted();
    await closing.disposeAsync();
}
process.exit(passed ? 0 : 1);
