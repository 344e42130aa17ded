import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { CliError, fileError } from '../errors.ts';

/**
 * Makes a file that says that this process writes to `path`, and returns a function that removes it. Throws CliError if
 * another process writes there. A process of this machine that was killed does not count.
 */
export function lock(path: string): () => void {
    const lockPath = `${path}.lock`;
    const own = `${process.pid} ${hostname()}`;
    for (let removed = false; ; removed = true) {
        try {
            writeFileSync(lockPath, own, { flag: 'wx', mode: 0o600 });
            return () => rmSync(lockPath, { force: true });
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(lockPath, error); // of node:fs
        }
        if (removed || !isLeft(lockPath)) {
            throw new CliError(`Another cred writes to ${path}. If none does, delete ${lockPath}.`);
        }
        rmSync(lockPath, { force: true });
    }
}

/** True if the process that made a lock has ended. False if it runs on another machine, where nobody can look. */
function isLeft(lockPath: string): boolean {
    const [pid, ...host] = readLock(lockPath).split(' ');
    const isOther = Number(pid) > 0 && Number(pid) !== process.pid;
    return host.join(' ') === hostname() && !(isOther && isRunning(Number(pid)));
}

function readLock(lockPath: string): string {
    try {
        return readFileSync(lockPath, 'utf8');
    } catch {
        return ''; // the other process has just ended
    }
}

function isRunning(pid: number): boolean {
    try {
        process.kill(pid, 0);
        return true;
    } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'EPERM'; // it belongs to another user
    }
}
