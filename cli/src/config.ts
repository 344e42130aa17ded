import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CliError, fileError } from './errors.ts';
import type { World } from './world.ts';

/** What "cred login" stores. */
interface Login {
    /** The service that the token belongs to. It is sent to no other. */
    url: string;
    /** A session token or an API key. */
    token: string;
    /** When a session ends. Absent for an API key. */
    expires_at?: string;
}

function pathOf({ env }: World): string {
    const { XDG_CONFIG_HOME: given = '' } = env;
    // The XDG Base Directory Specification ignores a relative path. It could be in a repository.
    const folder = isAbsolute(given) ? given : join(env['HOME'] || homedir(), '.config');
    return join(folder, 'cred', 'config.json');
}

/** Returns what is stored; undefined if nobody is logged in. */
export function readLogin(world: World): Login | undefined {
    const path = pathOf(world);
    let text: string;
    try {
        text = readFileSync(path, 'utf8');
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // errors of node:fs have a code
        throw fileError(path, error);
    }
    const login = parsed(text);
    if (login) return login;
    throw new CliError(`${path} is damaged. Log in again with "cred login".`);
}

function parsed(text: string): Login | undefined {
    try {
        const { url, token } = JSON.parse(text);
        return typeof url === 'string' && typeof token === 'string' ? JSON.parse(text) : undefined;
    } catch {
        return undefined;
    }
}

/** Stores a login for this user alone. A reader sees the old file or the new one. Returns its path. */
export function writeLogin(world: World, login: Login): string {
    const path = pathOf(world);
    const temporary = `${path}.${process.pid}`;
    try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(temporary, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' });
        renameSync(temporary, path);
    } catch (error) {
        rmSync(temporary, { force: true });
        throw fileError(path, error);
    }
    return path;
}

export function removeLogin(world: World): void {
    rmSync(pathOf(world), { force: true });
}
