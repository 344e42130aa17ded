import { COMMON_OPTIONS, type Command, type Option } from '../command.ts';

/** What can be completed: after which words, and which words then. */
export interface Place {
    /** The words of the command so far: ``, `keys`, `keys create`. */
    after: string;
    words: ReadonlyArray<{ word: string; summary: string }>;
}

/** The options of a command, with those of every command. */
export const optionsOf = (command: Command): Array<[string, Option]> =>
    Object.entries({ ...command.options, ...COMMON_OPTIONS });

/** The places where a word of a command, an option or one of few values stands. */
export function placesOf(commands: readonly Command[]): Place[] {
    const groups = new Map<string, Map<string, string>>();
    for (const { name, summary } of commands) {
        const [first = '', second] = name.split(' ');
        const top = groups.get('') ?? new Map<string, string>();
        groups.set('', top.set(first, second === undefined ? summary : `Commands for ${first}`));
        if (second !== undefined) groups.set(first, (groups.get(first) ?? new Map()).set(second, summary));
    }
    const words = Array.from(groups, ([after, entries]) => ({
        after,
        words: Array.from(entries, ([word, summary]) => ({ word, summary })),
    }));
    const options = commands.map((command) => ({
        after: command.name,
        words: [
            ...Object.values(command.positionals ?? {}).flatMap(({ choices = [] }) =>
                choices.map((word) => ({ word, summary: '' })),
            ),
            ...optionsOf(command).map(([name, { summary }]) => ({ word: `--${name}`, summary })),
        ],
    }));
    return [...words, ...options];
}

/** Options with a value, and the values if there are few. After any other one, files are completed. */
export function valuesOf(commands: readonly Command[]): Array<{ option: string; values: readonly string[] }> {
    const found = new Map<string, readonly string[]>();
    for (const [name, { value, choices = [] }] of commands.flatMap(optionsOf)) {
        if (value !== undefined) found.set(name, choices);
    }
    return Array.from(found, ([name, values]) => ({ option: `--${name}`, values }));
}

/** All commands and all their first words, as the text of what has been recognised before and the next word. */
export function beginningsOf(commands: readonly Command[]): Array<{ pattern: string; after: string }> {
    const names = new Set(commands.flatMap(({ name }) => [name.split(' ')[0] ?? '', name]));
    return Array.from(names, (name) => ({ pattern: name.includes(' ') ? name : ` ${name}`, after: name }));
}

/** A text in single quotes for the shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
