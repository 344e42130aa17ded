import type { EndpointId } from '../../endpoints/index.ts';
import type { OperationNotes } from '../operation.ts';
import { accountOperations } from './accounts.ts';
import { administrationOperations } from './administration.ts';
import { credentialOperations } from './credentials.ts';
import { didOperations } from './dids.ts';
import { keyOperations } from './keys.ts';
import { presentationOperations } from './presentations.ts';
import { walletOperations } from './wallets.ts';

/** The id of an internal variant. It has the description of its public endpoint. */
type InternalVariant<Id> = Id extends `internal.${infer Public}` ? (Public extends EndpointId ? Id : never) : never;

/** The type requires a description of every endpoint. */
const OPERATIONS: Record<Exclude<EndpointId, InternalVariant<EndpointId>>, OperationNotes> = {
    ...keyOperations,
    ...didOperations,
    ...credentialOperations,
    ...presentationOperations,
    ...walletOperations,
    ...accountOperations,
    ...administrationOperations,
};

export function operationOf(id: string): OperationNotes {
    const own = id in OPERATIONS ? id : id.replace('internal.', '');
    return OPERATIONS[own as keyof typeof OPERATIONS]; // the type of OPERATIONS requires every one of these ids
}
