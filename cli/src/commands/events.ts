import { command } from '../command.ts';
import { tableReport } from '../report.ts';
import { wholeNumber } from './keys.ts';

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
        const list = await (await service()).events.list({
            limit: 1_000,
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
