import { createReadStream, mkdtempSync, openSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError, fileError } from '../errors.ts';
import type { World } from '../world.ts';

/** What a batch reads: a file that is open. It is read several times. */
export interface Source {
    /** How errors call it. A name that ends in `.csv` means CSV. */
    name: string;
    fd: number;
}

/** Opens the input of a batch. Standard input (`-`) and named pipes are copied, because they can be read only once. */
export async function openSource(path: string, { stdin }: World): Promise<Source> {
    if (path === '-' || path === '/dev/stdin') return { name: 'standard input', fd: await copyOf(stdin) };
    try {
        const stats = statSync(path);
        if (stats.isFIFO() || stats.isSocket()) return { name: path, fd: await copyOf(createReadStream(path)) };
        requireFile(stats, path);
        return { name: path, fd: openSync(path, 'r') };
    } catch (error) {
        throw error instanceof CliError ? error : fileError(path, error);
    }
}

/** A device may have no end. */
function requireFile(stats: Stats, path: string): void {
    if (!stats.isFile()) throw new CliError(`${path} is ${stats.isDirectory() ? 'a folder' : 'no file'}.`);
}

/** Copies a stream to a file that has no name, so that it is gone as soon as this process ends. */
async function copyOf(stream: AsyncIterable<Buffer>): Promise<number> {
    const folder = mkdtempSync(join(tmpdir(), 'cred-input-'));
    let fd: number;
    try {
        fd = openSync(join(folder, 'input'), 'wx+', 0o600);
    } finally {
        rmSync(folder, { recursive: true });
    }
    for await (const chunk of stream) writeFileSync(fd, chunk);
    return fd;
}
