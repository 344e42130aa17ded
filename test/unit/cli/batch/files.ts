import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'cred-files-'));
after(() => rmSync(folder, { recursive: true }));
let count = 0;

/** The path of a new file. Without a content it does not exist. */
export function newFile(content?: string | Buffer, ending = 'ndjson'): string {
    const path = join(folder, `${++count}.${ending}`);
    if (content !== undefined) writeFileSync(path, content);
    return path;
}

export async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
    const list: T[] = [];
    for await (const value of values) list.push(value);
    return list;
}
