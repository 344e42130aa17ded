import { parseArgs } from 'node:util';
import type { Transport } from './stack.ts';

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

/** The window of the limit: after a minute refused calls would be admitted again. */
const MOST_SECONDS = 50;

/** The options of `npm run bench -- …`; throws what is wrong with them. */
export function parseOptions(args: string[], job_names: readonly string[]): BenchOptions {
    const { values } = parseArgs({
        args,
        options: {
            transport: { type: 'string', default: 'local' },
            only: { type: 'string', default: '' },
            seconds: { type: 'string', default: '4' },
            connections: { type: 'string', default: '64' },
            json: { type: 'string' },
        },
    });
    const { transport, json } = values;
    if (transport !== 'local' && transport !== 'grpc') throw new Error('--transport is local or grpc.');
    const only = values.only.split(',').filter((name) => name !== '');
    const unknown = only.find((name) => !job_names.includes(name));
    if (unknown !== undefined) throw new Error(`There is no job ${unknown}; there are ${job_names.join(', ')}.`);
    return {
        transport,
        only,
        json,
        seconds: within('--seconds', values.seconds, { least: 0.2, most: MOST_SECONDS }),
        connections: within('--connections', values.connections, { least: 1, most: 10_000 }),
    };
}

function within(name: string, text: string, { least, most }: { least: number; most: number }): number {
    const value = Number(text);
    if (value >= least && value <= most) return value;
    throw new Error(`${name} is a number from ${least} to ${most}.`);
}
