import type { CallLifetime } from '../../platform/context.ts';
import { isId } from '../../platform/uuid.ts';

/** Who has caused an event, as the audit names it (AuditRow), and the id of the request. */
export type Cause = [actor: string, request_id?: string];

/** The cause of all events of a statement, or of each one: by `credential_id` or, of an offer, by `offer_id`. */
export type Causes = Cause | { readonly [id: string]: Cause };

/** What a service causes by itself, such as in a job. */
export const OWN_CAUSE: Cause = ['service'];

/** The cause of what a wallet does with an offer that it has taken. */
export function causeOfWallet(requestId: string | undefined): Cause {
    return ['wallet', requestId];
}

/** The cause of an event of `account`. Without a call, the service has caused it. */
export function causeOf(call: CallLifetime | undefined, account: string | null | undefined): Cause {
    if (call?.request_id === undefined) return OWN_CAUSE;
    const { user_id, request_id } = call;
    const isOther = user_id !== undefined && user_id !== account;
    return [isOther ? `${bearerOf(call)}@${user_id}` : bearerOf(call), request_id];
}

/** Callers of gRPC may name anything as their key or session. */
function bearerOf({ key_id, session_id, trusted }: CallLifetime): string {
    return named('key', key_id) ?? named('session', session_id) ?? (trusted ? 'trusted' : 'unnamed');
}

function named(kind: 'key' | 'session', id: string | undefined): string | undefined {
    return id !== undefined && isId(id) ? `${kind}:${id}` : undefined;
}
