import type { Database } from '../../platform/postgres/db.ts';
import { appendPendingCounts } from '../counts/pending.store.ts';
import { type Writes, writes } from '../idempotency/writes.store.ts';

interface PresentationRow {
    /** UUID */
    id: string;
    account: string | undefined;
    created_at: string;
    credentials_count: number;
    holder: string;
    audience: string;
}

export type PresentationStore = Writes<PresentationRow>;

export function presentationStore(db: Database): PresentationStore {
    return writes<PresentationRow>(db, {
        name: 'presentation',
        table: ['presentations', 'presentations'],
        columns: {
            id: { type: 'uuid', value: ({ id }) => id, claim: 'id' },
            account: { type: 'uuid', value: ({ account }) => account },
            created_at: { type: 'timestamptz', value: ({ created_at }) => created_at, claim: 'made_at' },
            credentials_count: { type: 'int2', value: ({ credentials_count }) => credentials_count },
            holder: { type: 'text', value: ({ holder }) => holder },
            audience: { type: 'text', value: ({ audience }) => audience },
        },
        key: 'id',
        counts: appendPendingCounts('presentations_created'),
    });
}
