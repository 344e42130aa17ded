import { parseArgs } from 'node:util';
import { USUAL_SECONDS } from './run-scenario.ts';

export interface Options {
    /** Ids of the scenarios to run; none: all. */
    ids: readonly string[];
    /** How long the faults of one scenario last, about. */
    seconds: number;
    /** Where the table is written to, as Markdown. */
    report?: string;
}

/** `F2 F4 --seconds 20 --report FILE`. Throws an Error that names what is wrong. */
export function parseFaultOptions(args: readonly string[]): Options {
    const { values, positionals } = parseArgs({
        args: [...args],
        allowPositionals: true,
        options: { seconds: { type: 'string' }, report: { type: 'string' } },
    });
    const unknown = positionals.find((id) => !/^F\d+$/.test(id));
    if (unknown !== undefined) throw new Error(`${unknown} is no scenario: name them as F1, F2, …`);
    const seconds = Number(values.seconds ?? USUAL_SECONDS);
    if (!(seconds >= 1 && seconds <= 600)) throw new Error('--seconds must be a number from 1 to 600.');
    return { ids: positionals, seconds, ...(values.report !== undefined && { report: values.report }) };
}
