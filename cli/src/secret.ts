import { CliError } from './errors.ts';
import { readText } from './input.ts';
import { promptHidden } from './terminal/prompt.ts';
import { allInput, type World } from './world.ts';

interface Wanted {
    /** What it is: `password`. */
    what: string;
    /** The environment variable that may have it. */
    variable: string;
    /** At a terminal, ask twice. For a new password, which nobody can look up later. */
    confirm?: boolean;
}

/** Reads a secret from the environment, from the terminal without showing it, or from standard input. */
export async function readSecret(world: World, { what, variable, confirm = false }: Wanted): Promise<string> {
    const given = world.env[variable];
    if (given) return given;
    if (!world.stdin.isTTY) return fromInput(world, what, variable);
    const typed = await promptHidden(`${what}: `, world);
    if (!typed) throw new CliError(`No ${what} was given.`);
    if (confirm && (await promptHidden(`${what} again: `, world)) !== typed) {
        throw new CliError(`You typed two different texts. Run the command again.`);
    }
    return typed;
}

async function fromInput(world: World, what: string, variable: string): Promise<string> {
    const text = withoutLineEnd(await allInput(world, `the ${what}`));
    if (text === '' || /[\r\n]/.test(text)) {
        throw new CliError(`The ${what} must be the only line of standard input. You can also set ${variable}.`);
    }
    return text;
}

const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '');

/** Reads a private key from a file (`-` is standard input) or the environment. Undefined if there is neither. */
export async function readPrivateKey(
    world: World,
    { path, variable }: { path: string | undefined; variable: string },
): Promise<string | undefined> {
    if (path === '-') return fromInput(world, 'private key', variable);
    return path === undefined ? world.env[variable] || undefined : readKeyFile('--key-file', path);
}

/** Reads a secret from a file. The message of an error does not repeat the path: it may be the secret itself. */
export const readKeyFile = (option: string, path: string): string => readText(path, `The file of ${option}`);
