import { parseArgs } from 'node:util';
import { connectionsIn, listOf, oneOf, within } from '../options.ts';
import { GROWTH_JOBS } from './jobs.ts';

/** What grows in each part. The part `list` reads one long list completely. */
export const PARTS = ['credentials', 'accounts', 'gateways', 'list'] as const;
export type Part = (typeof PARTS)[number];

/** The options after `npm run bench:growth --`. */
export interface GrowthOptions {
    /** The parts run in this order. */
    parts: Part[];
    /** Names of jobs. */
    only: string[];
    credentials: number[];
    accounts: number[];
    gateways: number[];
    runs: number;
    /** Length of each run. */
    seconds: number;
    /** Number of connections to each gateway. With fewer, batches would be smaller. */
    connections: number;
    /** Number of credentials in the list of the part `list`. */
    listRows: number;
    json: string | undefined;
}

/** Throws an Error that says which option is invalid. */
export function parseGrowthOptions(args: string[]): GrowthOptions {
    const { values } = parseArgs({
        args,
        options: {
            part: { type: 'string', default: PARTS.join() },
            only: { type: 'string', default: Object.keys(GROWTH_JOBS).join() },
            credentials: { type: 'string', default: '1000,100000,1000000' },
            accounts: { type: 'string', default: '1,10000' },
            gateways: { type: 'string', default: '1,2,4' },
            runs: { type: 'string', default: '5' },
            seconds: { type: 'string', default: '2' },
            connections: { type: 'string', default: '64' },
            'list-rows': { type: 'string', default: '1000000' },
            json: { type: 'string' },
        },
    });
    const numbers = (option: string, text: string, most: number, least = 1): number[] => {
        const found = listOf(text, (item) => within(option, item, { least, most }));
        if (found.length === 0) throw new Error(`${option} has no value.`);
        return found;
    };
    return {
        parts: listOf(values.part, (name) => oneOf('--part', name, PARTS)),
        only: listOf(values.only, (name) => oneOf('--only', name, Object.keys(GROWTH_JOBS))),
        credentials: numbers('--credentials', values.credentials, 10_000_000, 1_000),
        accounts: numbers('--accounts', values.accounts, 100_000),
        gateways: numbers('--gateways', values.gateways, 16),
        runs: within('--runs', values.runs, { least: 1, most: 100 }),
        seconds: within('--seconds', values.seconds, { least: 0.2, most: 45 }),
        connections: connectionsIn(values.connections),
        listRows: within('--list-rows', values['list-rows'], { least: 1, most: 10_000_000 }),
        json: values.json,
    };
}
