import type { EndpointId } from '../../endpoints/index.ts';
import type { OperationNotes } from '../operation.ts';
import { accountOperations } from './accounts.ts';
import { administrationOperations } from './administration.ts';
import { credentialBatchOperations } from './credential-batches.ts';
import { credentialOperations } from './credentials.ts';
import { didOperations } from './dids.ts';
import { eventOperations } from './events.ts';
import { exchangeOperations } from './exchange.ts';
import { issuerOperations } from './issuers.ts';
import { keyOperations } from './keys.ts';
import { presentationOperations } from './presentations.ts';
import { statusListOperations } from './status-lists.ts';
import { walletProtocolOperations } from './wallet-protocol.ts';
import { walletOperations } from './wallets.ts';
import { webhookOperations } from './webhooks.ts';

/** The id of an internal variant. It has the description of its public endpoint. */
type InternalVariant<Id> = Id extends `internal.${infer Public}` ? (Public extends EndpointId ? Id : never) : never;

/** The type requires the notes of every endpoint. Add them in the file of its part. */
const OPERATIONS: Record<Exclude<EndpointId, InternalVariant<EndpointId>>, OperationNotes> = {
    ...keyOperations,
    ...didOperations,
    ...issuerOperations,
    ...credentialOperations,
    ...credentialBatchOperations,
    ...statusListOperations,
    ...presentationOperations,
    ...walletOperations,
    ...eventOperations,
    ...webhookOperations,
    ...exchangeOperations,
    ...walletProtocolOperations,
    ...accountOperations,
    ...administrationOperations,
};

/** The notes of an endpoint. An internal variant has the notes of its public endpoint. */
export function operationOf(id: string): OperationNotes {
    const all: Partial<Record<string, OperationNotes>> = OPERATIONS;
    const notes = all[isVariant(id) ? id.replace('internal.', '') : id];
    if (notes) return notes;
    throw new Error(
        `The endpoint ${id} has no notes: add '${id}' beside the other endpoints of its part in gateway/openapi/operations/.`,
    );
}

/** True if this is the id of an internal variant of a public endpoint. */
export function isVariant(id: string): boolean {
    return !(id in OPERATIONS) && id.startsWith('internal.');
}
