import type { Endpoint } from '../endpoint.ts';
import { credentialBatchEndpoints } from './credentials/batches.ts';
import { credentialEndpoints } from './credentials/credentials.ts';
import { didEndpoints } from './dids.ts';
import { presentationEndpoints } from './presentations.ts';
import { walletEndpoints } from './wallets.ts';

const PUBLIC = [
    ...didEndpoints,
    ...credentialEndpoints,
    ...credentialBatchEndpoints,
    ...presentationEndpoints,
    ...walletEndpoints,
];
type PublicId = (typeof PUBLIC)[number]['id'];

/**
 * The internal variant of the public endpoint with this id: for trusted callers, without limits, and with the same path
 * under /internal.
 */
function internalVariant<const Id extends PublicId>(id: Id): Endpoint & { id: `internal.${Id}` } {
    const original = PUBLIC.find((endpoint) => endpoint.id === id) as Endpoint; // only ids of PUBLIC are passed
    const { scope: _, ...unscoped } = original;
    return { ...unscoped, id: `internal.${id}`, path: `/internal${original.path}`, access: 'internal' };
}

export const internalOperationEndpoints = [
    internalVariant('did.create'),
    internalVariant('did.resolve'),
    internalVariant('credentials.issue'),
    internalVariant('credentials.verify'),
    // Not in the interface, but without it no caller could revoke a credential that has no owner.
    internalVariant('credentials.revoke'),
    internalVariant('credentials.batch.issue'),
    internalVariant('credentials.batch.verify'),
    internalVariant('credentials.batch.revoke'),
    internalVariant('credentials.batch.status'),
    internalVariant('presentations.create'),
    internalVariant('presentations.verify'),
    internalVariant('wallets.create'),
    internalVariant('wallets.open'),
];
