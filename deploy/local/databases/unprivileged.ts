import { Problem } from '../problem.ts';
import { bareEnvironment, runProgram } from './run-program.ts';

/** The uid and gid of the user `nobody` on every Linux distribution. */
const NOBODY = 65534;

export interface Account {
    /** Prefix of the command line. */
    prefix: string[];
    /** The uid and gid that must own the files that the command writes. */
    owner: number;
}

const IDS = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

/** Ways to run PostgreSQL, which refuses to run as root, as another user. The best is first. */
const WAYS: Account[] = [
    // This user may still read and traverse every folder, so that a clone below a 0700 folder (/root, mktemp -d) works.
    {
        prefix: [
            'setpriv',
            ...IDS,
            '--inh-caps=+dac_read_search',
            '--ambient-caps=+dac_read_search',
            '--securebits=+no_setuid_fixup',
            '--',
        ],
        owner: NOBODY,
    },
    // A user namespace: the process is root outside, but sees itself as `nobody`.
    { prefix: ['unshare', '-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'], owner: 0 },
    // Containers may forbid both ways above. This one needs a path that every user may traverse.
    { prefix: ['setpriv', ...IDS, '--'], owner: NOBODY },
];

/**
 * Returns an account that can run `program` on `folder` without root's rights, and makes it the owner of the folder and
 * its contents. If the current user is not root, nothing needs to change. Throws Problem.
 */
export async function unprivilegedAccount(program: string, folder: string): Promise<Account> {
    const uid = process.getuid?.() ?? 0;
    if (uid !== 0) return { prefix: [], owner: uid };
    const failures: string[] = [];
    for (const way of WAYS) {
        try {
            await giveTo(way, folder);
            const probe = '"$1" --version >/dev/null && [ -w "$2/." ] || { echo "cannot use $1 and $2" >&2; exit 1; }';
            await runProgram([...way.prefix, 'sh', '-c', probe, 'sh', program, folder], {
                env: bareEnvironment(),
                timeout_ms: 10_000,
            });
            return way;
        } catch (error) {
            failures.push(`  ${(error as Error).message}`); // runProgram rejects with Errors
        }
    }
    throw new Problem(
        'PostgreSQL does not run as root, and no way to run it as another user works here:\n' +
            `${failures.join('\n')}\nStart as an ordinary user, or set DATABASE_URL to a PostgreSQL of yours.`,
    );
}

/** Makes the account the owner of a file, or of a folder with all its contents. */
export async function giveTo(account: Account, path: string): Promise<void> {
    if (process.getuid?.() !== 0) return;
    await runProgram(['chown', '-R', `${account.owner}:${account.owner}`, path], { timeout_ms: 60_000 });
}
