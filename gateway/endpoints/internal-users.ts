import { z } from 'zod';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { ImportedUser, SetSuspensionRequest } from '../../proto/gen/identity/v1/identity.ts';
import { MAX_IMPORTED_USERS } from '../../proto/limits.ts';
import { endpoint } from '../endpoint.ts';
import { anyItem, listOf, optional } from '../fields.ts';
import { MalformedLine } from '../http/body-lines.ts';
import type { Services } from '../services.ts';
import { sinceUpgrade } from '../upgrading.ts';

const byId = z.object({ user_id: z.string() });
const suspension = z.object({
    user_id: z.string(),
    suspended: z.boolean(),
    suspended_at: z.string().nullable(),
    reason: z.string().nullable(),
});

/**
 * Suspends an account or restores it: its sessions, then its keys. If Redis does not answer, both are changed, and the
 * call is refused all the same, because gateways may not know it yet. A repeated call tells them.
 */
async function setSuspension(
    request: SetSuspensionRequest,
    { identity, keys }: Services,
    context: CallContext,
): Promise<z.input<typeof suspension>> {
    const { version, in_force, ...state } = await sinceUpgrade(identity.setSuspension(request, context));
    const { user_id, suspended_at = null, reason = null } = state;
    const suspended = suspended_at !== null;
    const told = await sinceUpgrade(keys.setSuspension({ user_id, suspended, version }, context));
    if (in_force && told.in_force) return { user_id, suspended, suspended_at, reason };
    const text = 'The account is suspended, but some gateways may not know it yet. Repeat the call to make sure.';
    throw new AppError('unavailable', text, { retry_after: 1, reason: 'redis' });
}

const user = z.object({
    email: z.string(),
    password_hash: z.string(),
    name: optional(z.string()),
    tier: optional(z.string()),
});

/** Validates one line. An invalid line is passed on with the reason, and its answer has it. */
function userOrReason(line: unknown): ImportedUser {
    const parsed = user.safeParse(line);
    if (parsed.success) return { ...parsed.data, malformed: undefined };
    const field = parsed.error.issues[0]?.path.join('.');
    const wrong = field ? `${field} is missing or of the wrong type.` : 'The line must be a JSON object.';
    const malformed = line instanceof MalformedLine ? line.reason : wrong;
    return { email: undefined, password_hash: undefined, name: undefined, tier: undefined, malformed };
}

/** How long a call may erase, in milliseconds. Beyond it: the answer says that the call must be repeated. */
const ERASE_MS = 5_000;

/** Erases a subject, service after service. Returns whether nothing is left. */
async function eraseSubject(subjectDid: string, services: Services, context: CallContext): Promise<boolean> {
    const end = performance.now() + ERASE_MS;
    // Offers first: then no wallet takes another credential for the subject.
    for (const service of [services.exchange, services.credentials, services.presentations, services.did]) {
        while (!(await sinceUpgrade(service.eraseSubject({ subject_did: subjectDid }, context))).done) {
            if (performance.now() > end) return false;
        }
    }
    return true;
}

/** With these, an operator ends what an account can do, allows it again, and brings accounts from another system. */
export const internalUserEndpoints = [
    endpoint({
        id: 'internal.admin.suspend_user',
        summary: 'Suspend an account',
        description:
            'From the next call on, every gateway refuses the sessions and API keys of the account with 403, and a login too. Nothing is deleted: DID documents and status lists stay public, and credentials stay valid. A trusted caller can still act for the account, for instance to revoke its credentials. An account that is suspended already keeps its time and its reason.',
        idempotent: true,
        method: 'POST',
        path: '/internal/v1/admin/users/{user_id}/suspend',
        access: 'internal',
        status: 200,
        message: 'User suspended',
        actsOn: 'user_id',
        params: byId,
        body: z.object({ reason: optional(z.string()) }),
        answer: suspension,
        call: ({ params: { user_id }, body: { reason }, services, context }) =>
            setSuspension({ user_id, suspended: true, reason }, services, context),
    }),

    endpoint({
        id: 'internal.admin.restore_user',
        summary: 'Restore a suspended account',
        description:
            'Its sessions and API keys work again, unless they have ended for another reason. An account that is not suspended stays as it is.',
        idempotent: true,
        method: 'POST',
        path: '/internal/v1/admin/users/{user_id}/restore',
        access: 'internal',
        status: 200,
        message: 'User restored',
        actsOn: 'user_id',
        params: byId,
        answer: suspension,
        call: ({ params: { user_id }, services, context }) =>
            setSuspension({ user_id, suspended: false, reason: undefined }, services, context),
    }),

    endpoint({
        id: 'internal.admin.import_users',
        summary: 'Import users with their password hashes',
        description:
            'Body and answer are `application/x-ndjson`: a line of JSON for each user, in the same order. One line that is refused does not affect the others. An import may have 100,000 lines of 8 KiB, 64 MiB in all, and take ten minutes; a gateway works on two at a time. Read the answer while you send. If it ends before the last line, send the import again: it refuses the users that exist. The first login replaces the hash with one of the service.',
        method: 'POST',
        path: '/internal/v1/admin/users/import',
        access: 'internal',
        status: 200,
        message: 'Users imported',
        lines: { sent: 'users', answered: 'results' },
        body: z.object({ users: listOf(anyItem(user), { min: 1, max: MAX_IMPORTED_USERS }) }),
        answer: z.object({
            results: z.array(
                z.object({
                    line: z.number(),
                    status: z.enum(['created', 'refused']),
                    user_id: z.string().optional(),
                    error: z.string().optional(),
                }),
            ),
        }),
        async call({ body, services, context }) {
            const users = body.users.map(userOrReason);
            const { results } = await sinceUpgrade(services.identity.importUsers({ users }, context));
            return {
                results: results.map(({ user_id, error }, index) => ({
                    line: index + 1,
                    status: user_id === undefined ? ('refused' as const) : ('created' as const),
                    user_id,
                    error,
                })),
            };
        },
    }),

    endpoint({
        id: 'internal.subjects.erase',
        summary: 'Erase the subject of credentials',
        description:
            'Replaces the DID of a person as the subject of credentials and the holder of presentations by `did:invalid:erased`, removes the types and reasons of revocation of these credentials, removes the DID if a client has registered it, and ends the offers that name it. What says whether a credential is valid stays: a revoked one stays revoked. Tokens that are in use elsewhere, and what wallets contain, do not change. The owner of an account erases it with `DELETE /v1/me`.',
        method: 'POST',
        path: '/internal/v1/subjects/erase',
        access: 'internal',
        status: 200,
        message: 'Subject erased',
        body: z.object({ subject_did: z.string() }),
        answer: z.object({ subject_did: z.string(), done: z.boolean() }),
        async call({ body: { subject_did }, services, context }) {
            return { subject_did, done: await eraseSubject(subject_did, services, context) };
        },
    }),
];
