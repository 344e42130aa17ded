import { parseArgs } from 'node:util';
import { nearest } from '../../platform/nearest.ts';
import { COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { CliError } from './errors.ts';

/** What stands on the command line behind the name of a command. */
interface Parsed {
    options: Record<string, string | string[] | boolean | undefined>;
    args: Record<string, string | undefined>;
}

type Token = { kind: string; name?: string; value?: string | undefined; inlineValue?: boolean | undefined };

/**
 * Reads the arguments of a command. Throws CliError with a hint if something is unknown, missing or not allowed. No
 * message repeats a value, because it may be a secret.
 */
export function parseArguments(command: Command, args: readonly string[]): Parsed {
    const known: Record<string, Option> = { ...command.options, ...COMMON_OPTIONS };
    const types = Object.entries(known).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }]);
    const { tokens } = parseArgs({
        args: [...args],
        options: Object.fromEntries(types),
        strict: false, // the messages of strict mode would repeat values
        allowPositionals: true,
        tokens: true,
    });
    const options = optionsFrom(tokens, known);
    if (options['help']) return { options, args: {} };
    const given = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value ?? ''] : []));
    requireOptions(command, options);
    return { options, args: positionalsFrom(command, given) };
}

/** Returns the options that are given, and false or an empty list for switches and repeatable options that are not. */
function optionsFrom(tokens: readonly Token[], known: Record<string, Option>): Parsed['options'] {
    const options: Parsed['options'] = {};
    for (const [name, { value, repeatable }] of Object.entries(known)) {
        if (repeatable) options[name] = [];
        else if (value === undefined) options[name] = false;
    }
    for (const token of tokens) {
        if (token.kind !== 'option' || token.name === undefined) continue;
        const name = token.name === 'h' ? 'help' : token.name;
        const option = known[name];
        if (option === undefined) throw new CliError(`There is no option --${name}.${suggestion(name, known)}`);
        const value = optionValue(name, option, token);
        const before = options[name];
        if (Array.isArray(before)) before.push(String(value));
        else if (before !== undefined && before !== false) throw new CliError(`--${name} may be given only once.`);
        else options[name] = value;
    }
    return options;
}

function suggestion(name: string, known: Record<string, Option>): string {
    const meant = nearest(name, Object.keys(known));
    return meant === undefined ? ' See --help.' : ` Do you mean --${meant}?`;
}

function optionValue(name: string, { value: placeholder, choices }: Option, token: Token): string | true {
    if (placeholder === undefined) {
        if (token.value !== undefined) throw new CliError(`--${name} takes no value.`);
        return true;
    }
    const { value, inlineValue } = token;
    const isAnother = value?.startsWith('--') && !inlineValue;
    if (typeof value !== 'string' || value === '' || isAnother) {
        throw new CliError(`--${name} needs a value: --${name} ${placeholder}.`);
    }
    if (choices && !choices.includes(value)) throw new CliError(`--${name} must be one of: ${choices.join(', ')}.`);
    return value;
}

function requireOptions({ name, options = {} }: Command, given: Parsed['options']): void {
    const missing = Object.entries(options).filter(([option, { required }]) => required && given[option] === undefined);
    if (missing.length === 0) return;
    const names = missing.map(([option, { value }]) => `--${option} ${value}`).join(', ');
    throw new CliError(`"cred ${name}" also needs ${names}. See "cred ${name} --help".`);
}

function positionalsFrom({ name, positionals = {} }: Command, given: readonly string[]): Parsed['args'] {
    const args: Parsed['args'] = {};
    const entries = Object.entries(positionals);
    if (given.length > entries.length) {
        const takes = entries.map(([positional]) => positional.toUpperCase()).join(' ') || 'only options';
        throw new CliError(`"cred ${name}" takes ${takes}, and there is more. See "cred ${name} --help".`);
    }
    for (const [index, [positional, { optional, choices }]] of entries.entries()) {
        const value = given[index];
        if (value === undefined && !optional) {
            throw new CliError(`"cred ${name}" needs ${positional.toUpperCase()}. See "cred ${name} --help".`);
        }
        if (value !== undefined && choices && !choices.includes(value)) {
            throw new CliError(`${positional.toUpperCase()} must be one of: ${choices.join(', ')}.`);
        }
        args[positional] = value;
    }
    return args;
}
