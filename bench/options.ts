import { parseArgs } from 'node:util';
import { PROCESSES_BY_DEFAULT } from '../deploy/local/replicas/replica-plan.ts';
import type { Transport } from './stack.ts';

/** The options after `--` on the command line. Each function throws an Error that says which option is invalid. */

export interface BenchOptions {
    transport: Transport;
    /** Number of processes of `npm start`, and of the naive service. */
    processes: number;
    /** Names of jobs. If it is empty, all jobs run. */
    only: string[];
    /** How long each job is counted after its warm-up. */
    seconds: number;
    connections: number;
    /** The file that the results are written to as JSON. */
    json: string | undefined;
}

export interface OverloadOptions {
    transport: Transport;
    /** Number of processes of `npm start`. */
    processes: number;
    job: string;
    /** How long each load is offered. */
    seconds: number;
}

export interface ProfileOptions {
    job: string;
    seconds: number;
    connections: number;
}

export interface CoresOptions {
    /** Names of jobs. */
    only: string[];
    seconds: number;
    connections: number;
}

export interface EventsOptions {
    parts: Array<(typeof EVENTS_PARTS)[number]>;
    /** Number of events in each row of the parts `sealing` and `deliveries`, about. */
    events: number;
    /** How many events a second are written in the part `delays`, and for how long. */
    rate: number;
    seconds: number;
    json: string | undefined;
}

/**
 * Maximum length of a run, in seconds. Together with the warm-up it is within the window of the rate limit: after a
 * minute, calls over the limit would be admitted again.
 */
const MOST_SECONDS = 45;
const EVENTS_PARTS = ['sealing', 'deliveries', 'delays'] as const;
const TRANSPORTS: readonly Transport[] = ['local', 'grpc'];
const TRANSPORT = { type: 'string', default: 'local' } as const;
const CONNECTIONS = { type: 'string', default: '64' } as const;
const JOB = { type: 'string', default: 'verify' } as const;

const PROCESSES = { type: 'string', default: String(PROCESSES_BY_DEFAULT) } as const;

/** Parses the options of `npm run bench`. */
export function parseOptions(args: string[], jobNames: readonly string[]): BenchOptions {
    const { values } = parseArgs({
        args,
        options: {
            transport: TRANSPORT,
            processes: PROCESSES,
            only: { type: 'string', default: '' },
            seconds: { type: 'string', default: '4' },
            connections: CONNECTIONS,
            json: { type: 'string' },
        },
    });
    return {
        transport: oneOf('--transport', values.transport, TRANSPORTS),
        processes: processesIn(values.processes),
        only: listOf(values.only, (name) => oneOf('--only', name, jobNames)),
        json: values.json,
        seconds: within('--seconds', values.seconds, { least: 0.2, most: MOST_SECONDS }),
        connections: connectionsIn(values.connections),
    };
}

/** Parses the options of `npm run bench:overload`. */
export function parseOverloadOptions(args: string[], jobNames: readonly string[]): OverloadOptions {
    const seconds = { type: 'string', default: '20' } as const;
    const { values } = parseArgs({ args, options: { transport: TRANSPORT, processes: PROCESSES, job: JOB, seconds } });
    return {
        transport: oneOf('--transport', values.transport, TRANSPORTS),
        processes: processesIn(values.processes),
        job: oneOf('--job', values.job, jobNames),
        seconds: within('--seconds', values.seconds, { least: 1, most: 120 }),
    };
}

/** Parses the options of `npm run bench:cores`. */
export function parseCoresOptions(args: string[], jobNames: readonly string[]): CoresOptions {
    const only = { type: 'string', default: 'verify,issue,me' } as const;
    const seconds = { type: 'string', default: '4' } as const;
    const { values } = parseArgs({ args, options: { only, seconds, connections: CONNECTIONS } });
    return {
        only: listOf(values.only, (name) => oneOf('--only', name, jobNames)),
        seconds: within('--seconds', values.seconds, { least: 0.2, most: MOST_SECONDS }),
        connections: connectionsIn(values.connections),
    };
}

/** Parses the options of `npm run bench:profile`. */
export function parseProfileOptions(args: string[], jobNames: readonly string[]): ProfileOptions {
    const seconds = { type: 'string', default: '5' } as const;
    const { values } = parseArgs({ args, options: { job: JOB, seconds, connections: CONNECTIONS } });
    return {
        job: oneOf('--job', values.job, jobNames),
        seconds: within('--seconds', values.seconds, { least: 0.2, most: MOST_SECONDS }),
        connections: connectionsIn(values.connections),
    };
}

/** Parses the options of `npm run bench:events`. */
export function parseEventsOptions(args: string[]): EventsOptions {
    const { values } = parseArgs({
        args,
        options: {
            part: { type: 'string', default: EVENTS_PARTS.join() },
            events: { type: 'string', default: '20000' },
            rate: { type: 'string', default: '50' },
            seconds: { type: 'string', default: '30' },
            json: { type: 'string' },
        },
    });
    return {
        parts: listOf(values.part, (name) => oneOf('--part', name, EVENTS_PARTS)),
        events: within('--events', values.events, { least: 5_000, most: 1_000_000 }),
        rate: within('--rate', values.rate, { least: 10, most: 10_000 }),
        seconds: within('--seconds', values.seconds, { least: 1, most: 600 }),
        json: values.json,
    };
}

/** Reads items that are separated by commas. An empty text has no items. */
export function listOf<Item>(text: string, read: (item: string) => Item): Item[] {
    return text
        .split(',')
        .filter((item) => item !== '')
        .map(read);
}

export function oneOf<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
    const found = names.find((name) => name === text);
    if (found !== undefined) return found;
    throw new Error(`${option}: ${text} is not one of ${names.join(', ')}.`);
}

export function within(option: string, text: string, { least, most }: { least: number; most: number }): number {
    const value = Number(text);
    if (text !== '' && value >= least && value <= most) return value;
    throw new Error(`${option} must be a number from ${least} to ${most}.`);
}

function processesIn(text: string): number {
    const count = within('--processes', text, { least: 1, most: 64 });
    if (Number.isInteger(count)) return count;
    throw new Error('--processes must be a whole number.');
}

export function connectionsIn(text: string): number {
    return within('--connections', text, { least: 1, most: 10_000 });
}
