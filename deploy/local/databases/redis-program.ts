import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem } from '../problem.ts';
import { archiveFolder, fetchRedis, unpackedRedis } from './redis-archive.ts';
import { bareEnvironment, runProgram } from './run-program.ts';

/** The oldest Redis that BullMQ supports. */
const OLDEST = { major: 6, minor: 2 };

export interface RedisProgram {
    /** The command line. The name of a configuration file in the working folder is appended. */
    command: string[];
    /** Environment variables that the program needs besides the minimal environment. */
    env: Record<string, string>;
}

interface Search {
    dataDir: string;
    log(line: string): void;
    signal?: AbortSignal | undefined;
}

type Source = (search: Search) => Promise<RedisProgram>;

/** Where to look for Redis, in this order. Each source returns a program that runs, or throws the reason why not. */
const SOURCES: Record<string, Source> = {
    'on PATH': fromPath,
    "from the distribution's archive": fromArchive,
};

/** Returns a Redis or Valkey that runs on this machine, from the first source that has one. Throws Problem. */
export async function findRedis(search: Search): Promise<RedisProgram> {
    const failures: string[] = [];
    for (const [name, source] of Object.entries(SOURCES)) {
        try {
            return await source(search);
        } catch (error) {
            search.signal?.throwIfAborted();
            failures.push(`  ${name}: ${(error as Error).message}`); // the sources reject with Errors only
        }
    }
    throw new Problem(
        `No Redis could be found or fetched:\n${failures.join('\n')}\n` +
            'Choose one: set REDIS_URL to a Redis (6.2 or newer) of yours; install redis-server or valkey-server; ' +
            'on Debian or Ubuntu, make the package archive reachable.',
    );
}

async function fromPath(): Promise<RedisProgram> {
    const failures: string[] = [];
    for (const name of ['redis-server', 'valkey-server']) {
        const path = onPath(name);
        if (path === undefined) continue;
        try {
            return await checked({ command: [path], env: {} });
        } catch (error) {
            failures.push((error as Error).message); // checked() rejects with Errors only
        }
    }
    throw new Error(failures.join('; ') || 'neither redis-server nor valkey-server');
}

async function fromArchive(search: Search): Promise<RedisProgram> {
    if (onPath('apt-get') === undefined || onPath('dpkg') === undefined)
        throw new Error('this is not Debian or Ubuntu');
    const folder = archiveFolder(search.dataDir);
    const kept = existsSync(folder) && (await checked(unpackedRedis(folder)).catch(() => undefined));
    if (kept) return kept;
    // If there is one, it does not run, for instance after an upgrade of the machine.
    await fetchRedis({ ...search, folder });
    return checked(unpackedRedis(folder));
}

/** Returns the program if it starts and is not too old. */
async function checked(program: RedisProgram): Promise<RedisProgram> {
    const version = await runProgram([...program.command, '--version'], {
        env: bareEnvironment(program.env),
        timeout_ms: 30_000,
    });
    const [, major = 0, minor = 0] = (/v=(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
    if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return program;
    throw new Error(`${program.command.at(-1)} is too old (${version.trim()})`);
}

function onPath(name: string): string | undefined {
    return (process.env.PATH ?? '')
        .split(delimiter)
        .map((folder) => join(folder, name))
        .find((path) => {
            try {
                accessSync(path, constants.X_OK);
                return true;
            } catch {
                return false;
            }
        });
}
