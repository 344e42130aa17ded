import { parseArgs } from 'node:util';
import { connectionsIn, listOf, oneOf, within } from '../options.ts';
import { GROWTH_JOBS } from './jobs.ts';

/** What grows; `list` is one long list, read whole. */
export const PARTS = ['credentials', 'accounts', 'gateways', 'list'] as const;
export type Part = (typeof PARTS)[number];

/** What stands after `npm run bench:growth --`. */
export interface GrowthOptions {
    /** In this order. */
    parts: Part[];
    /** Names of jobs. */
    only: string[];
    credentials: number[];
    accounts: number[];
    gateways: number[];
    runs: number;
    /** Of each run. */
    seconds: number;
    /** To each gateway: fewer would make thinner batches. */
    connections: number;
    /** Of the list that is read whole. */
    list_rows: number;
    json: string | undefined;
}

/** Throws what is wrong with them. */
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
        if (found.length === 0) throw new Error(`${option} names nothing.`);
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
        list_rows: within('--list-rows', values['list-rows'], { least: 1, most: 10_000_000 }),
        json: values.json,
    };
}
