import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Actor, PASSWORD_MARK } from '../load/actor.ts';
import type { Violation } from './violation.ts';

/** Only this many bytes of a larger file are searched. */
const MOST_BYTES = 256 << 20;

type Secret = [what: string, isIn: (text: string) => boolean];

/** Returns the secrets that must not be found, each with a function that finds it in a text. */
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
 * Searches `places` for secrets: files, and folders with all files below them, such as logs and the files of the
 * databases, which contain what a dump would contain. Also searches `texts`, such as metrics, by name.
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
        return ''; // the database has removed the file meanwhile
    }
}
