import { COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { widest, wrapped } from './terminal/text.ts';

const WIDTH = 100;

/** How a command is called: `cred revoke ID --issuer DID [options]`. */
export function usageOf({ name, positionals = {}, options = {} }: Command): string {
    const args = Object.entries(positionals).map(([positional, { optional }]) =>
        optional ? `[${positional.toUpperCase()}]` : positional.toUpperCase(),
    );
    const required = Object.entries(options).flatMap(([option, { value, required }]) =>
        required ? [`--${option} ${value}`] : [],
    );
    const isMore = Object.values(options).some(({ required }) => !required);
    return ['cred', name, ...args, ...required, ...(isMore ? ['[options]'] : [])].join(' ');
}

/** What is said about an option, besides its name. */
export function optionSummary({ summary, choices, repeatable, required }: Option): string {
    const notes = [
        ...(choices ? [`one of ${choices.join(', ')}`] : []),
        ...(repeatable ? ['may be given several times'] : []),
        ...(required ? ['required'] : []),
    ];
    return notes.length === 0 ? summary : `${summary} (${notes.join('; ')})`;
}

/** The help of one command. */
export function commandHelp(command: Command): string {
    const { name, summary, details, positionals = {}, options = {}, examples } = command;
    const args = Object.entries(positionals).map(([positional, { summary: text }]) => [positional.toUpperCase(), text]);
    const rows = Object.entries({ ...options, ...COMMON_OPTIONS }).map(([option, it]: [string, Option]) => [
        `--${option}${it.value ? ` ${it.value}` : ''}`,
        optionSummary(it),
    ]);
    const shownExamples = examples.flatMap(({ line, note }) => [...(note ? [`  # ${note}`] : []), `  ${line}`]);
    return [
        `cred ${name}: ${summary}`,
        '',
        `Usage: ${usageOf(command)}`,
        ...(details ? ['', ...wrapped(details, WIDTH)] : []),
        ...(args.length > 0 ? ['', 'Arguments:', ...columns(args)] : []),
        '',
        'Options:',
        ...columns(rows),
        '',
        examples.length > 1 ? 'Examples:' : 'Example:',
        ...shownExamples,
        '',
    ].join('\n');
}

/** The help of the program, or of the commands that begin with a word. */
export function overviewHelp(commands: readonly Command[], group?: string): string {
    const listed = group === undefined ? commands : commands.filter(({ name }) => name.startsWith(`${group} `));
    return [
        ...(group === undefined ? ['cred: the command line of the credential service', ''] : []),
        `Usage: cred ${group ?? 'COMMAND'} …`,
        '',
        'Commands:',
        ...columns(listed.map(({ name, summary }) => [name, summary])),
        '',
        '"cred COMMAND --help" shows the options of a command, and an example.',
        'Exit codes: 0 success or valid, 1 not valid or failed items, 2 wrong usage, 3 the service refuses or is away.',
        '',
    ].join('\n');
}

/** Rows of two columns; the second one is wrapped. */
function columns(rows: ReadonlyArray<readonly string[]>): string[] {
    const width = widest(rows.map(([left = '']) => left));
    return rows.flatMap(([left = '', right = '']) =>
        wrapped(right, WIDTH - width - 4).map((line, index) => `  ${(index === 0 ? left : '').padEnd(width)}  ${line}`),
    );
}
