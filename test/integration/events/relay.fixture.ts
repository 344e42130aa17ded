import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { eventsService } from '../../../services/events/service.ts';
import { eventsStore } from '../../../services/events/store.ts';
import { OWN_CAUSE } from '../../../services/outbox/cause.ts';
import { appendOwnEvents, type Publisher } from '../../../services/outbox/outbox.store.ts';
import { testContext, testDatabase } from '../../support/harness.ts';

export async function relayFixture() {
    const { db, url } = await testDatabase();
    const events = eventsService({ store: eventsStore(db) });
    const publish = (service: Publisher, account: string, ids: string[]) =>
        db.transaction((transaction) => {
            const data = ids.map((id) => ({ key_id: id }));
            return appendOwnEvents(transaction, service, { account, type: 'key.created', data, cause: OWN_CAUSE });
        });
    const list = async (account: string) => {
        const request = { after: 0, types: [], limit: 1_000 };
        return (await events.listEvents(request, testContext({ user_id: account }))).events;
    };
    return { db, url, events, publish, list };
}

export const countRow = z.strictObject({ waiting: z.number() });

/** Number of entries in the outbox. */
export async function waiting(db: Database, service: Publisher): Promise<number> {
    const [row] = await db.rows(
        sql.type(countRow)`SELECT count(*) AS waiting FROM ${sql.identifier([service, 'outbox'])}`,
    );
    return row?.waiting ?? 0;
}
