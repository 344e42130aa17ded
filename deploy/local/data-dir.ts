import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
    accessSync,
    chmodSync,
    constants,
    existsSync,
    mkdirSync,
    readFileSync,
    realpathSync,
    renameSync,
    writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../../platform/process/config.ts';
import { Problem } from './problem.ts';

/** Creates the folder if it is missing. Returns its absolute path without symbolic links. Throws Problem. */
export function openDataDir(path: string): string {
    try {
        // 0711, because PostgreSQL, which does not run as root, may have to traverse it. Secret files in it are 0600.
        if (makeFolder(resolve(path))) chmodSync(path, 0o711);
        const dataDir = realpathSync(path);
        accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
        return dataDir;
    } catch (error) {
        throw new Problem(`Cannot use ${path} as DATA_DIR: ${(error as Error).message}`); // fs throws Errors
    }
}

/**
 * Creates a folder and its parents, one by one, because Node's recursive mkdir never ends below a folder such as /proc.
 * Returns false if the folder already exists.
 */
function makeFolder(path: string): boolean {
    if (existsSync(path)) return false;
    makeFolder(dirname(path));
    mkdirSync(path);
    return true;
}

/** True if the user set the setting, directly or as the path of a file. */
export function isGiven(given: Environment, name: string): boolean {
    return given[name] !== undefined || given[`${name}_FILE`] !== undefined;
}

/** Returns the random secret of 256 bits in `dataDir/name`. The first call creates it. */
export function keptSecret(dataDir: string, name: string): string {
    return readOrMake(join(dataDir, name), () => randomBytes(32).toString('base64url')).trim();
}

/** Returns the path of the Ed25519 key (PKCS#8, PEM) that signs sessions. The first call creates the key. */
export function keptSigningKey(dataDir: string): string {
    const file = join(dataDir, 'jwt-key.pem');
    readOrMake(file, () =>
        generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    );
    return file;
}

function readOrMake(file: string, make: () => string): string {
    try {
        return readFileSync(file, 'utf8');
    } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException; // fs throws system errors
        if (code === 'EACCES') throw new Problem(`${message}. DATA_DIR belongs to another user: set DATA_DIR.`);
        if (code !== 'ENOENT') throw error;
    }
    const made = make();
    writeFileSync(`${file}.new`, `${made.trimEnd()}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    return made;
}
