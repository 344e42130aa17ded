import { hash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './finding.ts';

/** Inputs that once were findings. test/unit/fuzz/fuzz.test.ts runs them in every test run. */
const FOLDER = join(import.meta.dirname, 'corpus');

interface KnownInput {
    target: string;
    file: string;
    input: Buffer;
}

export function knownInputs(): KnownInput[] {
    return globSync('*/*', { cwd: FOLDER })
        .sort()
        .map((path) => ({ target: path.split('/')[0] ?? '', file: path, input: readFileSync(join(FOLDER, path)) }));
}

/** Stores the input of a finding in the corpus. Returns the path of its file. */
export function keep({ target, input }: Finding): string {
    const folder = join(FOLDER, target);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, hash('sha256', input).slice(0, 16));
    writeFileSync(file, input);
    return file;
}
