import { command } from '../command.ts';
import { fieldsReport, type Report } from '../report.ts';
import { SECRET_FILE, trusted } from '../trusted.ts';

const ID = { summary: 'Id of the account, as "cred whoami" shows it' };
const TRUSTED = 'Needs the internal secret of the service, in CRED_INTERNAL_SECRET or in the file of --secret-file.';

interface Suspension {
    user_id: string;
    suspended: boolean;
    suspended_at: string | null;
    reason: string | null;
}

function shown(state: Suspension): Report {
    const { user_id, suspended, suspended_at, reason } = state;
    return fieldsReport(state, {
        user_id,
        suspended: suspended ? 'yes' : 'no',
        suspended_at: suspended_at ?? undefined,
        reason: reason ?? undefined,
    });
}

export const usersSuspend = command({
    name: 'users suspend',
    summary: 'Suspend an account, as a trusted caller',
    details: `Its sessions and API keys stop working at once, and it cannot log in. Nothing is deleted. ${TRUSTED}`,
    positionals: { id: ID },
    options: {
        reason: { value: 'TEXT', summary: 'Why, for other operators' },
        'secret-file': SECRET_FILE,
    },
    examples: [
        { line: 'cred users suspend 01a1faed-b50a-7000-8f70-7b9d71ab9b89 --reason "Its API key was published."' },
    ],
    async run({ args: { id }, options: { reason, 'secret-file': file }, world, url }) {
        const { internal } = trusted(world, url, file);
        return shown(await internal.admin.suspendUser({ user_id: id, ...(reason !== undefined && { reason }) }));
    },
});

export const usersRestore = command({
    name: 'users restore',
    summary: 'Restore a suspended account, as a trusted caller',
    details: `Its sessions and API keys work again, unless they have ended for another reason. ${TRUSTED}`,
    positionals: { id: ID },
    options: { 'secret-file': SECRET_FILE },
    examples: [{ line: 'cred users restore 01a1faed-b50a-7000-8f70-7b9d71ab9b89 --secret-file .data/internal-secret' }],
    async run({ args: { id }, options: { 'secret-file': file }, world, url }) {
        return shown(await trusted(world, url, file).internal.admin.restoreUser({ user_id: id }));
    },
});
