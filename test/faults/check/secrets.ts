import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Actor, PASSWORD_MARK } from '../load/actor.ts';
import type { Violation } from './violation.ts';

/** Larger files are read in part, in bytes. */
const MOST_BYTES = 256 << 20;

type Secret = [what: string, isIn: (text: string) => boolean];

/** What must not be found anywhere, and how it is recognized. */
function secretsOf(actors: readonly Actor[], others: Readonly<Record<string, string>>): Secret[] {
    return [
        ['a password', (text) => text.includes(PASSWORD_MARK)],
        ['an API key', (text) => /cred_(?:test|live)_[0-9A-Za-z]{32}/.test(text)],
        ['a session token', (text) => /eyJ[\w-]{10,}\.eyJ[\w-]{20,}\./.test(text)],
        ['a credential', (text) => /v4\.public\.[\w-]{40,}/.test(text)],
        ['a private key', (text) => actors.some(({ privateKey }) => text.includes(privateKey))],
        ...Object.entries(others).map(([name, value]): Secret => [name, (text) => text.includes(value)]),
    ];
}

/**
 * Looks for secrets in these files and in all files below these folders: logs, the databases' own files (which hold what a
 * dump would), and in `texts`, such as metrics, by their names.
 */
export function checkSecrets(options: {
    actors: readonly Actor[];
    secrets: Readonly<Record<string, string>>;
    places: readonly string[];
    texts: ReadonlyMap<string, string>;
}): Violation[] {
    const secrets = secretsOf(options.actors, options.secrets);
    const files = options.places.flatMap(filesBelow);
    const contents: Array<[name: string, read: () => string]> = [
        ...files.map((file): [string, () => string] => [file, () => readText(file)]),
        ...Array.from(options.texts, ([name, text]): [string, () => string] => [name, () => text]),
    ];
    return contents.flatMap(([name, read]) => {
        const text = read();
        const found = secrets.filter(([, isIn]) => isIn(text)).map(([what]) => what);
        return found.map((what): Violation => ({ invariant: 'I7', text: `${what} is in ${name}` }));
    });
}

function filesBelow(place: string): string[] {
    if (!statSync(place).isDirectory()) return [place];
    const found = readdirSync(place, { recursive: true, withFileTypes: true });
    return found.filter((item) => item.isFile()).map((item) => join(item.parentPath, item.name));
}

function readText(file: string): string {
    try {
        return readFileSync(file).subarray(0, MOST_BYTES).toString('latin1');
    } catch {
        return ''; // a database removed it meanwhile
    }
}
