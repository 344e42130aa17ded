import type { CallContext } from '../../platform/context.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { DidServiceDefinition } from '../../proto/gen/did/v1/did.ts';
import type { Cursors } from '../cursors.ts';
import type { CredentialStore, ListedRow } from './rows.ts';

/** What a list shows. owner: only credentials that concern the caller's account. platform: all credentials. */
export type Visibility = 'owner' | 'platform';

export interface ListDependencies {
    store: CredentialStore;
    services: { did: ServiceOf<typeof DidServiceDefinition> };
    cursors: Cursors;
    listScope: Visibility;
}

/** Up to `size` rows below the id `before`, newest first. */
export interface Range {
    before: string | undefined;
    size: number;
}

/** The rows of a party that a caller may see. */
export interface View {
    page(range: Range, context: CallContext): Promise<Found>;
    count(context: CallContext): Promise<number>;
}

export interface Found {
    rows: readonly ListedRow[];
    /** Set if the search ended before it found `size` rows or the end of the list. No row below this id was read. */
    stoppedAt?: string | undefined;
}
