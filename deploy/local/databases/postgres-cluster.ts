import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptSecret } from '../data-dir.ts';
import { Problem } from '../problem.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { bareEnvironment, runProgram } from './run-program.ts';
import { type Account, giveTo, unprivilegedAccount } from './unprivileged.ts';

const ADMIN_PASSWORD = 'postgres-admin-password';

/**
 * Creates the database cluster with initdb. It is built under another name and renamed when complete, so that the next
 * start repeats an interrupted initdb.
 */
export async function createCluster(options: {
    binaries: PostgresBinaries;
    dataDir: string;
    folder: string;
    signal: AbortSignal | undefined;
}): Promise<Account> {
    const { binaries, dataDir, folder, signal } = options;
    const building = `${folder}.new`;
    const passwordFile = `${folder}.password`;
    rmSync(building, { recursive: true, force: true });
    mkdirSync(building, { mode: 0o700 });
    const account = await unprivilegedAccount(binaries.postgres, building);
    try {
        writeFileSync(passwordFile, adminPassword(dataDir), { mode: 0o600 });
        await giveTo(account, passwordFile);
        const flags = ['--auth=scram-sha-256', '--encoding=UTF8', '--no-locale', '--no-instructions'];
        await runProgram(
            [
                ...account.prefix,
                binaries.initdb,
                '-D',
                building,
                '-U',
                'postgres',
                `--pwfile=${passwordFile}`,
                ...flags,
            ],
            { env: bareEnvironment(), timeout_ms: 120_000, signal },
        );
    } finally {
        rmSync(passwordFile, { force: true });
    }
    renameSync(building, folder);
    return account;
}

/** The password of the superuser. */
export function adminPassword(dataDir: string): string {
    return keptSecret(dataDir, ADMIN_PASSWORD);
}

/** Throws Problem if the password of an existing cluster is lost: the cluster would refuse another one. */
export function requireAdminPassword(dataDir: string): void {
    const file = join(dataDir, ADMIN_PASSWORD);
    if (!existsSync(file))
        throw new Problem(`${file} is missing, and PostgreSQL cannot be used without it: restore it.`);
}
