import type { Client } from '../../../client/src/client.ts';
import { collected } from '../../support/collected.ts';
import { newEmail, register } from './world.ts';

/** Examples of the endpoints for administration, and of the registration of accounts. */
export const adminExamples = {
    'internal.auth.register': async () => {
        const input = { email: newEmail(), password: 'correct horse battery', name: 'Ada' };
        return { internal: true as const, run: ({ internal }: Client) => internal.auth.register(input) };
    },
    'internal.admin.stats': async () => ({
        internal: true as const,
        run: ({ internal }: Client) => internal.admin.stats(),
    }),
    'internal.admin.audit': async () => ({
        internal: true as const,
        run: ({ internal }: Client) => collected(internal.admin.audit()),
    }),
    'internal.admin.create_users': async () => {
        const password = 'correct horse battery';
        const users = [
            { email: newEmail(), password, tier: 'pro' as const },
            { email: 'nobody', password },
        ];
        return { internal: true as const, run: ({ internal }: Client) => internal.admin.createUsers({ users }) };
    },
    'internal.admin.import_users': async () => {
        const passwordHash = `$pbkdf2-sha256$i=1000$${'a'.repeat(22)}$${'b'.repeat(43)}`;
        const users = [
            { email: newEmail(), password_hash: passwordHash },
            { email: 'nobody', password_hash: passwordHash },
        ];
        return { internal: true as const, run: ({ internal }: Client) => internal.admin.importUsers({ users }) };
    },
    'internal.admin.suspend_user': async () => {
        const { user_id } = await register();
        return {
            internal: true as const,
            run: ({ internal }: Client) => internal.admin.suspendUser({ user_id, reason: 'Abuse' }),
        };
    },
    'internal.admin.restore_user': async () => {
        const { user_id } = await register();
        return { internal: true as const, run: ({ internal }: Client) => internal.admin.restoreUser({ user_id }) };
    },
    'internal.subjects.erase': async () => {
        const subjectDid = 'did:web:nobody.example';
        return {
            internal: true as const,
            run: ({ internal }: Client) => internal.subjects.erase({ subject_did: subjectDid }),
        };
    },
};
