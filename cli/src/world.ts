import type { Readable, Writable } from 'node:stream';
import { CliError } from './errors.ts';

/** What the program knows of the process that it runs in. Tests pass their own. */
export interface World {
    env: Readonly<Record<string, string | undefined>>;
    stdin: Readable & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };
    stdout: Writable & { isTTY?: boolean; columns?: number };
    stderr: Writable & { isTTY?: boolean };
    /** Ends the process as Ctrl-C does, so that a shell stops its script, too. */
    interrupt(): void;
}

/** Largest text that is read at once from a file or from standard input: as large as the largest status list. */
export const MAX_INPUT_BYTES = 4 << 20;

/** Reads all of standard input as UTF-8, without a byte order mark. `name` says in an error what it is. */
export async function allInput({ stdin }: World, name: string): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stdin) {
        const bytes = Buffer.from(chunk);
        size += bytes.length;
        if (size > MAX_INPUT_BYTES) throw new CliError(`Standard input is too long for ${name}.`);
        chunks.push(bytes);
    }
    return new TextDecoder().decode(Buffer.concat(chunks));
}
