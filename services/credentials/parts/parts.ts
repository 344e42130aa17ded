import type { Database } from '../../../platform/postgres/db.ts';
import type { ErasureStep } from '../../erasure.ts';
import { credentialErasure, subjectStep } from '../erase.store.ts';
import type { CredentialStore } from '../rows.ts';
import type { StatusListStore } from '../status-lists/rows.ts';
import { statusListStore } from '../status-lists/status-lists.store.ts';
import { credentialStore } from '../store.ts';
import type { PartMap } from './part-map.ts';
import { countParts } from './parts.store.ts';

/** The parts of the credentials. Each has a store of credentials and one of status lists. */
export interface Parts {
    map: PartMap;
    stores: readonly CredentialStore[];
    statusLists: readonly StatusListStore[];
    /** The steps that erase an account in all of them. */
    erasure: readonly ErasureStep[];
    /** The steps that erase a subject in all of them. */
    subjectErasure: readonly ErasureStep[];
    /** Reads the number of parts that there are now. A process that began earlier may know fewer. */
    countParts(): Promise<number>;
}

/** The parts in these databases. */
export function partsIn(databases: readonly [Database, ...Database[]], map: PartMap): Parts {
    return {
        map,
        stores: databases.map(credentialStore),
        statusLists: databases.map(statusListStore),
        erasure: databases.flatMap(credentialErasure),
        subjectErasure: databases.map(subjectStep),
        countParts: () => countParts(databases[0]),
    };
}
