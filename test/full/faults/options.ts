import { parseArgs } from 'node:util';
import { USUAL_SECONDS } from './run-scenario.ts';
import type { Form } from './stack/stack.ts';

interface Options {
    /** Ids of the scenarios to run. If empty, all run. */
    ids: readonly string[];
    /** About how long the faults of one scenario last, in seconds. */
    seconds: number;
    /** Only the scenarios of this form. */
    form?: Form;
    /** The page whose table the run replaces. */
    report?: string;
}

/** Parses `F2 F4 --seconds 20 --form together --report FILE`. Throws an Error that names the invalid argument. */
export function parseFaultOptions(args: readonly string[]): Options {
    const { values, positionals } = parseArgs({
        args: [...args],
        allowPositionals: true,
        options: { seconds: { type: 'string' }, form: { type: 'string' }, report: { type: 'string' } },
    });
    const unknown = positionals.find((id) => !/^F\d+$/.test(id));
    if (unknown !== undefined) throw new Error(`${unknown} is not a scenario: use ids such as F1.`);
    const seconds = Number(values.seconds ?? USUAL_SECONDS);
    if (!(seconds >= 1 && seconds <= 600)) throw new Error('--seconds must be a number from 1 to 600.');
    const { form, report } = values;
    if (form !== undefined && !isForm(form)) throw new Error('--form must be apart or together.');
    return { ids: positionals, seconds, ...(form && { form }), ...(report && { report }) };
}

function isForm(text: string): text is Form {
    return text === 'apart' || text === 'together';
}
