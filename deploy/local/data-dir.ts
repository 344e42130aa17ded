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
import { Problem } from './problem.ts';

/** Creates the folder if it is missing. Returns its absolute path without symbolic links. */
export function openDataDir(path: string): string {
    try {
        // 0711: PostgreSQL, which does not run as root, may have to traverse it. Secret files in it are 0600.
        if (makeFolder(resolve(path))) chmodSync(path, 0o711);
        const data_dir = realpathSync(path);
        accessSync(data_dir, constants.R_OK | constants.W_OK | constants.X_OK);
        return data_dir;
    } catch (error) {
        throw new Problem(`Cannot use ${path} as DATA_DIR: ${(error as Error).message}`); // fs throws Errors
    }
}

/** True if it was created. Step by step, because Node's recursive mkdir never ends below a folder such as /proc. */
function makeFolder(path: string): boolean {
    if (existsSync(path)) return false;
    makeFolder(dirname(path));
    mkdirSync(path);
    return true;
}

/** A random secret of 256 bits, created by the first call and kept in `data_dir/name`. */
export function keptSecret(data_dir: string, name: string): string {
    return readOrMake(join(data_dir, name), () => randomBytes(32).toString('base64url')).trim();
}

/** The path of the Ed25519 key (PKCS#8, PEM) that signs sessions. The first call creates it. */
export function keptSigningKey(data_dir: string): string {
    const file = join(data_dir, 'jwt-key.pem');
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
