import '../../deploy/local/node-version.ts';
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { runAndClose } from '../../bench/bed.ts';
import { table } from '../../bench/table.ts';
import { openOwnService } from '../../test/support/own-service.ts';
import { keep } from './corpus.ts';
import type { Explored, Finding } from './finding.ts';
import { type FuzzOptions, parseOptions } from './options.ts';
import { faultOf } from './parsers/explore.ts';
import { exploreWatched } from './parsers/watched.ts';
import { loggedErrors } from './service/log.ts';
import { TARGETS, targetNamed } from './targets/index.ts';

/** `npm run proof -- fuzz`: sends odd inputs to every parser, and to a running service over HTTP and gRPC. */

const SERVICE_PARTS = ['http-examples', 'http-raw', 'grpc-calls', 'grpc-frames'] as const;
const NAMES = [...TARGETS.map(({ name }) => name), ...SERVICE_PARTS];
/** Characters of a parser's input that are printed. The file holds the whole input. */
const SHOWN = 200;
/** Characters that are printed of any input. */
const MOST_SHOWN = 4_000;

async function fuzz(closing: AsyncDisposableStack, options: FuzzOptions): Promise<boolean> {
    const { minutes, seed, only, file } = options;
    if (file !== undefined) return tryFile(only[0] ?? '', file);
    const isWanted = ({ name }: { name: string }): boolean => only.length === 0 || only.includes(name);
    console.log(`seed ${seed}: --seed ${seed} makes the same inputs again`);
    const began = performance.now();
    const parts = SERVICE_PARTS.filter((name) => isWanted({ name }));
    const results = await Promise.all([
        exploreParsers(TARGETS.filter(isWanted), { seed, seconds: minutes * 60 }),
        parts.length > 0 ? attackService(closing, parts, { seed, seconds: minutes * 60 }) : [],
    ]);
    const explored = results.flat();
    const rows = explored.map(({ target, inputs, corpus, findings }) =>
        [target, inputs.toLocaleString('en'), corpus, findings.length].map(String),
    );
    console.log(`\n${table(['target', 'inputs', 'corpus', 'findings'], rows)}\n`);
    const findings = explored.flatMap((each) => each.findings);
    for (const finding of findings) tell(finding);
    const inputs = explored.reduce((sum, each) => sum + each.inputs, 0);
    const took = ((performance.now() - began) / 60_000).toFixed(1);
    console.log(`${inputs.toLocaleString('en')} inputs in ${took} minutes, ${findings.length} findings`);
    return findings.length === 0;
}

/** Explores one target after the other. Each gets the same share of the time. */
async function exploreParsers(
    targets: typeof TARGETS,
    { seed, seconds }: { seed: number; seconds: number },
): Promise<Explored[]> {
    const explored = [];
    for (const target of targets)
        explored.push(await exploreWatched(target, { seed, seconds: seconds / targets.length }));
    return explored;
}

/** Starts a service and runs all parts against it at once, each part in its own process. */
async function attackService(
    closing: AsyncDisposableStack,
    parts: readonly string[],
    { seed, seconds }: { seed: number; seconds: number },
): Promise<Explored[]> {
    const { service, folder } = await openOwnService(closing, { transport: 'local' });
    const explored = await Promise.all(
        parts.map((name) => runPart(closing, name, { seed, seconds, env: service.env })),
    );
    const logged = { target: 'log', inputs: 0, corpus: 0, findings: loggedErrors(folder) };
    return [...explored, logged];
}

async function runPart(
    closing: AsyncDisposableStack,
    name: string,
    { seed, seconds, env }: { seed: number; seconds: number; env: Record<string, string> },
): Promise<Explored> {
    const child = fork(new URL('service/process.ts', import.meta.url), [name, String(seed), String(seconds)], {
        env: { ...process.env, ...env },
        serialization: 'advanced', // buffers stay buffers
    });
    closing.defer(() => void child.kill('SIGKILL')); // if another part fails, this one must not go on
    const { promise, resolve, reject } = Promise.withResolvers<Explored>();
    child.once('message', (explored: Explored) => resolve(explored));
    child.once('exit', (code) => reject(new Error(`The process of ${name} ended with ${code}.`)));
    return promise;
}

async function tryFile(name: string, file: string): Promise<boolean> {
    const fault = await faultOf(targetNamed(name), readFileSync(file));
    console.log(fault ?? 'No finding.');
    return fault === undefined;
}

function tell(finding: Finding): void {
    const { target, input, reason } = finding;
    const isParser = TARGETS.some(({ name }) => name === target);
    // Only inputs of parsers are kept: what was sent to the service depended on its data, and that service has ended.
    const where = isParser ? `kept as ${keep(finding)}` : 'in base64';
    const shown = isParser ? JSON.stringify(input.toString('latin1').slice(0, SHOWN)) : input.toString('base64');
    console.log(`\nFOUND ${target}, ${input.length} bytes, ${where}:\n${shown.slice(0, MOST_SHOWN)}\n${reason}`);
}

await runAndClose((args) => parseOptions(args, NAMES), fuzz);
