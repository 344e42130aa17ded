import { closeSync, openSync, readSync } from 'node:fs';
import { CliError, fileError } from './errors.ts';
import { allInput, MAX_INPUT_BYTES, type World } from './world.ts';

/** Returns a text that is given as it is, as `@FILE`, or as `-` for standard input. `name` is how the help calls it. */
export async function textArgument(given: string, name: string, world: World): Promise<string> {
    if (given === '-') return (await allInput(world, name)).trim();
    return given.startsWith('@') ? readText(given.slice(1)) : given;
}

/** Reads a text from a file, without blanks at its ends. `name` is how an error calls the file. */
export function readText(path: string, name = path): string {
    const bytes = Buffer.alloc(MAX_INPUT_BYTES + 1);
    let size = 0;
    try {
        const file = openSync(path, 'r');
        try {
            for (let read = -1; read !== 0 && size < bytes.length; size += read)
                read = readSync(file, bytes, { offset: size });
        } finally {
            closeSync(file);
        }
    } catch (error) {
        throw fileError(name, error);
    }
    if (size > MAX_INPUT_BYTES) throw new CliError(`${name} is longer than ${MAX_INPUT_BYTES >> 20} MiB.`);
    return bytes.toString('utf8', 0, size).trim();
}
