import type { Endpoint } from '../endpoint.ts';
import { credentialEndpoints } from './credentials.ts';
import { didEndpoints } from './dids.ts';
import { presentationEndpoints } from './presentations.ts';
import { walletEndpoints } from './wallets.ts';

const PUBLIC = [...didEndpoints, ...credentialEndpoints, ...presentationEndpoints, ...walletEndpoints];
type PublicId = (typeof PUBLIC)[number]['id'];

/**
 * Gives trusted callers the public endpoint with this id, without limits, on its path under /internal (interface, 4.8).
 */
function internalTwin<const Id extends PublicId>(id: Id): Endpoint & { id: `internal.${Id}` } {
    const original = PUBLIC.find((endpoint) => endpoint.id === id) as Endpoint; // only ids of PUBLIC are passed
    return { ...original, id: `internal.${id}`, path: `/internal${original.path}`, access: 'internal' };
}

export const internalOperationEndpoints = [
    internalTwin('did.create'),
    internalTwin('did.resolve'),
    internalTwin('credentials.issue'),
    internalTwin('credentials.verify'),
    internalTwin('credentials.revoke'), // beside the interface: else nobody could revoke what has no owner
    internalTwin('presentations.create'),
    internalTwin('presentations.verify'),
    internalTwin('wallets.create'),
    internalTwin('wallets.open'),
];
