import type { EndpointId } from '../../endpoints/index.ts';
import type { OperationNotes } from '../operation.ts';
import { accountOperations } from './accounts.ts';
import { administrationOperations } from './administration.ts';
import { credentialOperations } from './credentials.ts';
import { didOperations } from './dids.ts';
import { keyOperations } from './keys.ts';
import { presentationOperations } from './presentations.ts';
import { walletOperations } from './wallets.ts';

/** An internal variant is described like its public endpoint. */
type Twin<Id> = Id extends `internal.${infer Public}` ? (Public extends EndpointId ? Id : never) : never;

/** An endpoint without a description does not compile. */
const OPERATIONS: Record<Exclude<EndpointId, Twin<EndpointId>>, OperationNotes> = {
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
    return OPERATIONS[own as keyof typeof OPERATIONS]; // every id, or that of its public endpoint, is there
}
