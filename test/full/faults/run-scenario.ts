import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { balancer } from '../process/service/balanced-connection.ts';
import { check } from './check/checker.ts';
import { checkSecrets } from './check/secrets.ts';
import { checkDrift } from './check/statistics.ts';
import type { Violation } from './check/violation.ts';
import { balancedClient, httpClient, isAcknowledged } from './load/calls.ts';
import { isWrite, type Journal, openJournal } from './load/journal.ts';
import { type Load, prepareLoad } from './load/load.ts';
import type { LaunchTrial, Result, Scenario, Trial } from './scenario.ts';
import { type FaultEnvironment, prepareStack, type Stack } from './stack/stack.ts';

/** Usual length of the faults of a scenario, in seconds. `--seconds` scales their times relative to it. */
export const USUAL_SECONDS = 20;
const JOURNAL = 'journal.jsonl';
const CLIENTS = 10;
const PAUSE_MS = 12;
/** Clients write this long before the fault, which measures the usual rate, and after it, in milliseconds. */
const BEFORE_MS = 3_000;
const AFTER_MS = 1_000;
/** Pause between the last write and the check, in milliseconds. */
const QUIET_MS = 3_000;
/** Target for the longest answer (ms): the deadline of a request, and some time for the transfer. */
const ANSWERED_MS = 10_500;
/** Longest wait for the first acknowledged write or for the full rate, in milliseconds. */
const RECOVERY_MS = 30_000;

/** Runs one scenario in the empty folder `dir`: starts the service, writes, causes the fault, reads everything back. */
export async function runScenario(
    scenario: Scenario,
    dir: string,
    environment: FaultEnvironment,
    seconds: number,
): Promise<Result> {
    const { id, fault, form } = scenario;
    const began = performance.now();
    mkdirSync(dir, { recursive: true });
    const options = { form, ...scenario.stack, ...(await scenario.prepare?.(dir, environment)) };
    const stack = await prepareStack(dir, environment, options);
    const found: Found = { broken: [], missed: [], late: [], notes: [], recoveries: [] };
    const base = trialBase({ stack, found, seconds });
    if (scenario.launch) await scenario.launch(base);
    else {
        await stack.migrate();
        await stack.launch();
    }
    const journal = openJournal(join(dir, JOURNAL));
    using clients = scenario.isBalanced ? balancedClients(stack) : directClients(stack);
    const load = await prepareLoad({
        clients: scenario.clients ?? CLIENTS,
        pauseMs: PAUSE_MS,
        journal,
        gateways: stack.ports.length,
        client: () => clients.open(),
    });
    load.start();
    try {
        await delay(BEFORE_MS);
        const baseline = load.rate(performance.now() - BEFORE_MS / 2, performance.now());
        await scenario.run({ ...base, load, baseline, ...recoveries({ load, found, baseline }) });
        await delay(AFTER_MS);
    } finally {
        await load.stop();
    }
    await delay(QUIET_MS);
    const violations = await readBack({ scenario, stack, load, journal });
    journal.close();
    const longest = Math.max(...journal.entries.map(({ outcome }) => outcome?.tookMs ?? 0));
    base.target(`the longest answer took ${Math.round(longest)} ms`, longest <= ANSWERED_MS);
    const acknowledged = journal.entries.filter((entry) => isWrite(entry) && isAcknowledged(entry.outcome)).length;
    const broken = [...found.broken, ...violations];
    return {
        id,
        fault,
        acknowledged,
        lost: new Set(violations.flatMap(({ lost }) => lost ?? [])).size,
        broken,
        missed: [...found.missed, ...latest(found.late)],
        notes: found.notes,
        ...(found.recoveries.length > 0 && { recoveryMs: Math.max(...found.recoveries) }),
        seconds: (performance.now() - began) / 1_000,
    };
}

/** A recovery that took longer than its target, in milliseconds. */
interface Recovery {
    what: string;
    tookMs: number;
    targetMs: number;
}

interface Found {
    broken: Violation[];
    missed: string[];
    late: Recovery[];
    notes: string[];
    recoveries: number[];
}

/** Describes late recoveries, those of one kind together. */
function latest(late: readonly Recovery[]): string[] {
    return Array.from(Map.groupBy(late, ({ what }) => what)).map(([what, all]) => {
        const longest = Math.round(Math.max(...all.map(({ tookMs }) => tookMs)));
        const times = all.length === 1 ? '' : `${all.length} times, the longest `;
        return `${what}: ${times}${longest} ms instead of ${all[0]?.targetMs} ms`;
    });
}

function trialBase(options: { stack: Stack; found: Found; seconds: number }): LaunchTrial {
    const { stack, found, seconds } = options;
    return {
        stack,
        scaled: (amount: number) => (amount * seconds) / USUAL_SECONDS,
        target: (what: string, isMet: boolean) => void (isMet || found.missed.push(what)),
        broken: (invariant: Violation['invariant'], text: string) => void found.broken.push({ invariant, text }),
        note: (text: string) => void found.notes.push(text),
    };
}

function recoveries(options: {
    load: Load;
    found: Found;
    baseline: number;
}): Pick<Trial, 'recovered' | 'recoveredFully'> {
    const { load, found, baseline } = options;
    const wait = async (what: string, targetMs: number | undefined, look: () => number | undefined) => {
        const giveUp = performance.now() + RECOVERY_MS;
        let took = look();
        while (took === undefined && performance.now() < giveUp) {
            await delay(50);
            took = look();
        }
        if (took === undefined) {
            found.broken.push({ invariant: 'I6', text: `${what}: no recovery within ${RECOVERY_MS / 1_000} s` });
            return;
        }
        found.recoveries.push(took);
        if (targetMs !== undefined && took > targetMs) {
            found.late.push({ what, tookMs: took, targetMs });
        }
    };
    return {
        recovered: (what, since, targetMs, kind) => wait(what, targetMs, () => load.firstAfter(since, kind)),
        recoveredFully: (what, since, targetMs) => wait(what, targetMs, () => load.fullRateAfter(since, baseline)),
    };
}

async function readBack(options: {
    scenario: Scenario;
    stack: Stack;
    load: Load;
    journal: Journal;
}): Promise<Violation[]> {
    const { scenario, stack, load, journal } = options;
    const client = httpClient(stack.ports, stack.secrets.internal);
    const { actors } = load;
    const { mayLose = false, mayEnd = false } = scenario;
    const { ports } = stack;
    const violations = await check({ actors, journal, send: client.send, gateways: ports.length, mayLose });
    client.close();
    violations.push(...(await checkDrift(stack.databaseUrl)));
    const metrics = await Promise.all(stack.processes.map(metricsOf));
    const { dir, secrets } = stack;
    // Logs, and the files of the databases, which contain what a dump would contain, but not the journal of the load.
    const places = readdirSync(dir).flatMap((name) => (name === JOURNAL ? [] : [join(dir, name)]));
    const named = { 'the internal secret': secrets.internal, 'the service token': secrets.service };
    violations.push(...checkSecrets({ actors, secrets: named, places, texts: new Map(metrics) }));
    for (const { name, crashes } of mayEnd ? [] : stack.processes) {
        if (crashes() > 0) violations.push({ invariant: 'I6', text: `${name} ended by itself, ${crashes()} times` });
    }
    return violations;
}

/** Opens clients that have a connection to each gateway. */
function directClients({ ports, secrets }: Stack) {
    return { open: () => httpClient(ports, secrets.internal), [Symbol.dispose]: () => {} };
}

/** Opens clients that have one connection, to a gateway that was ready when the connection was opened. */
function balancedClients({ ports, gateways, secrets }: Stack) {
    const replicas = ports.map((port, index) => ({ port, ops: gateways[index]?.ops ?? '' })); // one for each port
    const { open, close } = balancer(replicas);
    return { open: () => balancedClient(ports.length, open, secrets.internal), [Symbol.dispose]: close };
}

/** Returns the metrics of a process. They are empty if the process has ended, which is checked elsewhere. */
async function metricsOf({ name, ops }: Stack['processes'][number]): Promise<[string, string]> {
    const text = await fetch(`http://${ops}/metrics`).then(
        (answer) => answer.text(),
        () => '',
    );
    return [`the metrics of ${name}`, text];
}
