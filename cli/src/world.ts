import type { Readable, Writable } from 'node:stream';

/** What the program knows of the process that it runs in. Tests pass their own. */
export interface World {
    env: Readonly<Record<string, string | undefined>>;
    stdin: Readable & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };
    stdout: Writable & { isTTY?: boolean };
    stderr: Writable & { isTTY?: boolean };
}

/** Largest text that is read from standard input at once: more than the largest token or claims. */
const MAX_INPUT_BYTES = 1 << 20;

/** Reads all of standard input as UTF-8. Undefined if it is longer than any input may be. */
export async function allInput({ stdin }: World): Promise<string | undefined> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stdin) {
        const bytes = Buffer.from(chunk);
        size += bytes.length;
        if (size > MAX_INPUT_BYTES) return undefined;
        chunks.push(bytes);
    }
    return Buffer.concat(chunks).toString('utf8');
}
