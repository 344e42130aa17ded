import { type CallContext, requireUser } from '../../platform/context.ts';
import { isId } from '../../platform/uuid.ts';
import type {
    GetIssuerRequest,
    GetPublicIssuerRequest,
    GetQuotasResponse,
    Issuer,
    ListIssuersRequest,
    ListIssuersResponse,
    PublicIssuer,
} from '../../proto/gen/signing/v1/signing.ts';
import type { ListScope } from '../cursors.ts';
import { requireLimit, totalOf } from '../paging.ts';
import { quotaOf } from '../quotas.ts';
import type { SigningDependencies } from './dependencies.ts';
import { existing, issuerOf, ownIssuer, unknownIssuer } from './view.ts';

/** Returns the issuers of an account, newest first. */
export async function listIssuers(
    { store, cursors }: SigningDependencies,
    { limit, cursor, with_total }: ListIssuersRequest,
    context: CallContext,
): Promise<ListIssuersResponse> {
    const account = requireUser(context);
    requireLimit(limit);
    const scope: ListScope = { list: 'issuers', account };
    const before = cursor === undefined ? undefined : cursors.open(cursor, scope);
    const rows = await store.list({ account, before, limit: limit + 1 }, context);
    const page = rows.slice(0, limit);
    const ids = page.map(({ id }) => id);
    const keys = Map.groupBy(ids.length > 0 ? await store.keysOf(ids, context) : [], ({ issuer }) => issuer);
    const more = rows.length > limit;
    const last = page.at(-1);
    return {
        issuers: page.map((row) => issuerOf(row, keys.get(row.id) ?? [])),
        next_cursor: more && last ? cursors.seal(last.id, scope) : undefined,
        total: await totalOf({ cursor, with_total }, { rows: page.length, more }, () => store.count(account, context)),
    };
}

export async function getIssuer(
    { store }: SigningDependencies,
    { issuer_id }: GetIssuerRequest,
    context: CallContext,
): Promise<Issuer> {
    const own = ownIssuer(issuer_id, context);
    const row = existing(await store.find(own, context));
    return issuerOf(row, await store.keysOf([row.id], context));
}

export async function getQuotas(
    { store, quota }: SigningDependencies,
    context: CallContext,
): Promise<GetQuotasResponse> {
    const used = await store.count(requireUser(context), context);
    return { issuers: { used, limit: quotaOf(quota, context) } };
}

/** Only did:web issuers have a document of their own; a did:key contains its key. */
export async function getPublicIssuer(
    { store }: SigningDependencies,
    { issuer_id }: GetPublicIssuerRequest,
    context: CallContext,
): Promise<PublicIssuer> {
    if (!isId(issuer_id)) throw unknownIssuer();
    const rows = await store.publicIssuer(issuer_id, context);
    const [first] = rows;
    if (first?.method !== 'web') throw unknownIssuer();
    const kids = rows.filter(({ compromised_at }) => compromised_at === null).map(({ kid }) => kid);
    return { did: first.did, kids };
}
