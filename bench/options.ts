import { parseArgs } from 'node:util';
import type { Transport } from './stack.ts';

/** What stands after `--` on the command line; each function throws what is wrong with it. */

export interface BenchOptions {
    transport: Transport;
    /** Names of jobs; all where it is empty. */
    only: string[];
    /** For which each job is counted, after its warm-up. */
    seconds: number;
    connections: number;
    /** Where the results go as JSON. */
    json: string | undefined;
}

export interface OverloadOptions {
    transport: Transport;
    job: string;
    /** Of each offer. */
    seconds: number;
}

export interface ProfileOptions {
    job: string;
    seconds: number;
    connections: number;
}

/** With the warm-up within the limit's window: after a minute refused calls would be admitted again. */
const MOST_SECONDS = 45;
const TRANSPORTS: readonly Transport[] = ['local', 'grpc'];
const TRANSPORT = { type: 'string', default: 'local' } as const;
const CONNECTIONS = { type: 'string', default: '64' } as const;
const JOB = { type: 'string', default: 'verify' } as const;

/** Of `npm run bench`. */
export function parseOptions(args: string[], job_names: readonly string[]): BenchOptions {
    const { values } = parseArgs({
        args,
        options: {
            transport: TRANSPORT,
            only: { type: 'string', default: '' },
            seconds: { type: 'string', default: '4' },
            connections: CONNECTIONS,
            json: { type: 'string' },
        },
    });
    return {
        transport: oneOf('--transport', values.transport, TRANSPORTS),
        only: listOf(values.only, (name) => oneOf('--only', name, job_names)),
        json: values.json,
        seconds: within('--seconds', values.seconds, { least: 0.2, most: MOST_SECONDS }),
        connections: connectionsIn(values.connections),
    };
}

/** Of `npm run bench:overload`. */
export function parseOverloadOptions(args: string[], job_names: readonly string[]): OverloadOptions {
    const seconds = { type: 'string', default: '20' } as const;
    const { values } = parseArgs({ args, options: { transport: TRANSPORT, job: JOB, seconds } });
    return {
        transport: oneOf('--transport', values.transport, TRANSPORTS),
        job: oneOf('--job', values.job, job_names),
        seconds: within('--seconds', values.seconds, { least: 1, most: 120 }),
    };
}

/** Of `npm run bench:profile`. */
export function parseProfileOptions(args: string[], job_names: readonly string[]): ProfileOptions {
    const seconds = { type: 'string', default: '5' } as const;
    const { values } = parseArgs({ args, options: { job: JOB, seconds, connections: CONNECTIONS } });
    return {
        job: oneOf('--job', values.job, job_names),
        seconds: within('--seconds', values.seconds, { least: 0.2, most: MOST_SECONDS }),
        connections: connectionsIn(values.connections),
    };
}

/** What commas separate; nothing where the text is empty. */
export function listOf<Item>(text: string, read: (item: string) => Item): Item[] {
    return text
        .split(',')
        .filter((item) => item !== '')
        .map(read);
}

export function oneOf<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
    const found = names.find((name) => name === text);
    if (found !== undefined) return found;
    throw new Error(`${option}: ${text} is none of ${names.join(', ')}.`);
}

export function within(option: string, text: string, { least, most }: { least: number; most: number }): number {
    const value = Number(text);
    if (text !== '' && value >= least && value <= most) return value;
    throw new Error(`${option} is a number from ${least} to ${most}.`);
}

export function connectionsIn(text: string): number {
    return within('--connections', text, { least: 1, most: 10_000 });
}
