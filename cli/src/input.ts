import { readFileSync } from 'node:fs';
import { CliError, fileError } from './errors.ts';
import { allInput, type World } from './world.ts';

/** Returns a text that is given as it is, as `@FILE`, or as `-` for standard input. `name` is how the help calls it. */
export async function textArgument(given: string, name: string, world: World): Promise<string> {
    if (given === '-') {
        const text = await allInput(world);
        if (text === undefined) throw new CliError(`Standard input is too long for ${name}.`);
        return text.trim();
    }
    return given.startsWith('@') ? readText(given.slice(1)).trim() : given;
}

export function readText(path: string): string {
    try {
        return readFileSync(path, 'utf8');
    } catch (error) {
        throw fileError(path, error);
    }
}
