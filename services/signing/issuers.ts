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
import { onePage, totalOf } from '../paging.ts';
import { quotaOf } from '../quotas.ts';
import type { SigningDependencies } from './dependencies.ts';
import type { IssuerRow } from './rows.ts';
import { coordinatesOf, existing, issuerOf, ownIssuer, unknownIssuer } from './view.ts';

/** Returns the issuers of an account, newest first. */
export async function listIssuers(
    { store, cursors }: SigningDependencies,
    request: ListIssuersRequest,
    context: CallContext,
): Promise<ListIssuersResponse> {
    const account = requireUser(context);
    const { page, next_cursor } = await onePage(request, {
        cursors,
        scope: { list: 'issuers', account },
        idOf: ({ id }: IssuerRow) => id,
        rows: (range) => store.list({ account, ...range }, context),
    });
    const ids = page.map(({ id }) => id);
    const keys = Map.groupBy(ids.length > 0 ? await store.keysOf(ids, context) : [], ({ issuer }) => issuer);
    const seen = { rows: page.length, more: next_cursor !== undefined };
    return {
        issuers: page.map((row) => issuerOf(row, keys.get(row.id) ?? [])),
        next_cursor,
        total: await totalOf(request, seen, () => store.count(account, context)),
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
    return { did: first.did, keys: rows.filter(({ compromised_at }) => compromised_at === null).map(coordinatesOf) };
}
