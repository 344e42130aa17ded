import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { type AccountPage, accountPage } from '../account-pages.store.ts';
import { appendPendingCounts } from '../counts/pending.store.ts';
import type { ErasureStep } from '../erasure.ts';
import { type Writes, writes } from '../idempotency/writes.store.ts';
import { holderStep, presentationErasure } from './erase.store.ts';

interface PresentationRow {
    /** UUID */
    id: string;
    account: string | undefined;
    created_at: string;
    credentials_count: number;
    holder: string;
    audience: string;
}

const listedPresentation = z.strictObject({
    id: z.string(),
    created_at: z.string(),
    credentials_count: z.number(),
    holder: z.string(),
    audience: z.string(),
});
export type ListedPresentation = z.infer<typeof listedPresentation>;

export interface PresentationStore extends Writes<PresentationRow> {
    /** Returns the account's presentations below the id `before`, newest first. */
    list(page: AccountPage, lifetime?: CallLifetime): Promise<readonly ListedPresentation[]>;
    erasure: readonly ErasureStep[];
    holderErasure: ErasureStep;
}

export function presentationStore(db: Database): PresentationStore {
    const list: PresentationStore['list'] = (page, lifetime) => {
        const statement = sql.type(listedPresentation)`
            SELECT id, created_at, credentials_count, holder, audience FROM presentations.presentations
            ${accountPage(page)}`;
        return db.rows(statement, 'presentation_list', lifetime);
    };
    const insertions = writes<PresentationRow>(db, {
        name: 'presentation',
        table: ['presentations', 'presentations'],
        columns: {
            id: { type: 'uuid', value: ({ id }) => id, claim: 'id' },
            account: { type: 'uuid', value: ({ account }) => account, isRead: true },
            created_at: { type: 'timestamptz', value: ({ created_at }) => created_at, claim: 'made_at' },
            credentials_count: { type: 'int2', value: ({ credentials_count }) => credentials_count },
            holder: { type: 'text', value: ({ holder }) => holder },
            audience: { type: 'text', value: ({ audience }) => audience },
        },
        key: 'id',
        counts: appendPendingCounts('presentations_created'),
    });
    return { ...insertions, list, erasure: presentationErasure(db), holderErasure: holderStep(db) };
}
