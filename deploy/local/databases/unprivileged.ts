import { Problem } from '../problem.ts';
import { bareEnvironment, runProgram } from './run-program.ts';

/** The "nobody" of every Linux distribution. */
const NOBODY = 65534;

export interface Account {
    /** Prefix of the command line. */
    prefix: string[];
    /** The uid (and gid) that must own what the command writes. */
    owner: number;
}

const IDS = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

/** PostgreSQL refuses to run as root. These are the ways to run it as another user, best first. */
const WAYS: Account[] = [
    // It may still read and traverse every folder, so that a clone below a 0700 folder (/root, mktemp -d) works.
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
    // Root outside, but nobody as far as the process can see.
    { prefix: ['unshare', '-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'], owner: 0 },
    // Containers may forbid both of the above. This one needs a path that everybody may traverse.
    { prefix: ['setpriv', ...IDS, '--'], owner: NOBODY },
];

/**
 * How to run `program` without root's rights on `folder`. The folder with all its contents is given to that account.
 * Nothing needs to be done for an ordinary user.
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
