import type { Client, EventsListData, EventsListInput } from '../../../client/src/client.ts';
import { command } from '../command.ts';
import { tableReport } from '../report.ts';
import { wholeNumber } from './keys.ts';

/** Maximum number of events that are shown. Beyond it: `next` says where the others begin. */
const MAX_SHOWN = 1_000;

export const events = command({
    name: 'events',
    summary: 'Show what has happened to the objects of the account, oldest first',
    details: 'Shows up to 1,000 events. With --json, "next" is the --after that shows the ones after them.',
    options: {
        after: { value: 'NUMBER', summary: 'Show only events after this number' },
        types: { value: 'TYPES', summary: 'Show only these types, such as credential.issued,credential.revoked' },
    },
    examples: [{ line: 'cred events --after 41 --types key.created,key.revoked' }],
    async run({ options: { after, types }, service }) {
        const list = await firstEvents(await service(), {
            ...(after !== undefined && { after: wholeNumber(after, '--after') }),
            ...(types !== undefined && { types }),
        });
        const rows = list.events.map(({ seq, timestamp, type, data }) => ({
            seq,
            timestamp,
            type,
            about: Object.values(data).join(' '),
        }));
        return tableReport(list, rows, 'There are no such events.');
    },
});

/**
 * The first events of the query. One answer may have few or none although more follow, because the service passes a
 * bounded number of events of other types at a time.
 */
async function firstEvents(client: Client, query: EventsListInput): Promise<EventsListData> {
    const found: EventsListData['events'] = [];
    for (let after = query.after ?? 0; ; ) {
        const { events, next } = await client.events.list({ ...query, after, limit: MAX_SHOWN - found.length });
        found.push(...events);
        if (next === after || found.length === MAX_SHOWN) return { events: found, next };
        after = next;
    }
}
