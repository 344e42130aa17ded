import {
    accessSync,
    constants,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    renameSync,
    rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { runProgram } from './run-program.ts';

/** Time limit of each command of the download, in milliseconds. */
const DOWNLOAD_TIMEOUT_MS = 180_000;

/**
 * Downloads Redis from the distribution's archive and unpacks it into `folder`, in place of what is there. It is not
 * installed, so this needs no root. apt checks signatures and hashes.
 */
export async function fetchRedis(options: {
    folder: string;
    log(line: string): void;
    signal?: AbortSignal | undefined;
}): Promise<void> {
    const { folder, log, signal } = options;
    log("Redis is not installed: fetching it from the distribution's archive (8 MB, once)");
    const work = mkdtempSync(`${folder}.fetching-`);
    const replaced = existsSync(folder) ? join(work, 'replaced') : undefined;
    try {
        await download(work, signal);
        put(join(work, 'root'), { folder, replaced });
    } finally {
        rmSync(work, { recursive: true, force: true });
    }
}

/**
 * Moves the fetched folder to its place, and what is there away. The old one stays until then, because a check that was
 * interrupted looks like a program that does not run, and other starts may use it.
 */
function put(fetched: string, { folder, replaced }: { folder: string; replaced: string | undefined }): void {
    try {
        if (replaced !== undefined) renameSync(folder, replaced);
        renameSync(fetched, folder);
    } catch (error) {
        if (!existsSync(folder)) throw error; // else another start has put one there at the same time
    }
}

async function download(work: string, signal: AbortSignal | undefined): Promise<void> {
    const folders = { lists: join(work, 'lists'), cache: join(work, 'cache'), debs: join(work, 'debs') };
    for (const folder of [join(folders.lists, 'partial'), join(folders.cache, 'archives/partial'), folders.debs]) {
        mkdirSync(folder, { recursive: true });
    }
    const run = (...command: string[]): Promise<string> =>
        runProgram(command, {
            signal,
            cwd: folders.debs,
            timeout_ms: DOWNLOAD_TIMEOUT_MS,
            env: { ...process.env, LC_ALL: 'C' },
        });
    const settings = [
        `Dir::State::Lists=${folders.lists}`,
        `Dir::Cache=${folders.cache}`,
        'Debug::NoLocking=1',
        'APT::Sandbox::User=',
        'Acquire::Retries=1',
        'Acquire::http::Timeout=15',
    ];
    const apt = ['apt-get', '-q', ...settings.flatMap((setting) => ['-o', setting])];
    // One unreachable source fails the whole update, but Redis may come from another source. So the failure is reported
    // only if the installation cannot be planned.
    const updateFailure = await run(...apt, 'update').then(
        () => undefined,
        (error: unknown) => error,
    );
    signal?.throwIfAborted();
    const plan = await run(...apt, '-s', '--no-install-recommends', 'install', 'redis-server').catch(
        (error: unknown) => {
            throw updateFailure ?? error;
        },
    );
    const packages = Array.from(plan.matchAll(/^Inst (\S+)/gm), ([, name = '']) => name);
    await run(...apt, 'download', ...packages);
    for (const deb of readdirSync(folders.debs)) await run('dpkg', '-x', deb, join(work, 'root'));
}

/** The command and environment that run the unpacked program. Libraries that the machine lacks are unpacked with it. */
export function unpackedRedis(folder: string): { command: string[]; env: Record<string, string> } {
    const libraries = ['usr/lib', 'lib'].flatMap((lib) => {
        const parent = join(folder, lib);
        return existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
    });
    return {
        command: [join(folder, 'usr/bin/redis-server')],
        env: { LD_LIBRARY_PATH: libraries.filter((library) => library.endsWith('-linux-gnu')).join(':') },
    };
}

/**
 * The folder for the unpacked Redis: in a cache that all clones of this user share, or in `dataDir` if the user has no
 * writable home.
 */
export function archiveFolder(dataDir: string): string {
    const { XDG_CACHE_HOME = '' } = process.env;
    const cache = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
    const bases = [join(cache, 'credential-service'), join(dataDir, 'cache')];
    return join(bases.find(canWrite) ?? dataDir, `redis-${distribution()}-${process.arch}`);
}

function canWrite(folder: string): boolean {
    try {
        mkdirSync(folder, { recursive: true });
        accessSync(folder, constants.W_OK);
        return isAbsolute(folder);
    } catch {
        return false;
    }
}

/** The distribution, such as `debian-12`. It is part of the path because different machines may share a home. */
function distribution(): string {
    const release = readFileSync('/etc/os-release', 'utf8');
    const value = (name: string): string => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(release)?.[1] ?? 'unknown';
    return `${value('ID')}-${value('VERSION_ID')}`;
}
