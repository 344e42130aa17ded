import { parseArgs } from 'node:util';

export interface FuzzOptions {
    /** Duration of the whole run, in minutes. */
    minutes: number;
    seed: number;
    /** Names of targets; an empty list means all targets. */
    only: string[];
    /** File with one input for the target in `only`. If it is given, only this input runs. */
    file: string | undefined;
}

const MOST_MINUTES = 24 * 60;

/** Parses the arguments of `npm run proof -- fuzz`. Throws an Error that says which argument is wrong. */
export function parseOptions(args: string[], names: readonly string[]): FuzzOptions {
    const { values } = parseArgs({
        args,
        options: {
            minutes: { type: 'string', default: '10' },
            seed: { type: 'string' },
            only: { type: 'string', default: '' },
            file: { type: 'string' },
        },
    });
    const minutes = Number(values.minutes);
    if (!(minutes > 0 && minutes <= MOST_MINUTES))
        throw new Error(`--minutes must be more than 0 and at most ${MOST_MINUTES}.`);
    const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
    if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
    const only = values.only.split(',').filter((name) => name !== '');
    const unknown = only.find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Error(`--only must be some of: ${names.join(', ')}.`);
    if (values.file !== undefined && only.length !== 1)
        throw new Error('--file needs --only with the one target that it is for.');
    return { minutes, seed, only, file: values.file };
}
