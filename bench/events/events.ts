import '../../deploy/local/node-version.ts';
import { writeFileSync } from 'node:fs';
import { authority } from '../../test/support/certificates.ts';
import { openBed, runAndClose } from '../bed.ts';
import { type EventsOptions, parseEventsOptions } from '../options.ts';
import { measureDelays, measureDeliveries, openReceivers } from './deliveries.ts';
import { type EventsRow, eventsTable } from './report.ts';
import { measureSealing } from './sealing.ts';

/**
 * `npm run bench:events`: measures how many events a second are sealed, how many are delivered to webhooks, and whether
 * webhooks that hang delay the deliveries to others.
 */

async function events(closing: AsyncDisposableStack, options: EventsOptions): Promise<boolean> {
    const { cert, certify } = authority('bench');
    const settings = { WEBHOOK_NETWORKS: '127.0.0.0/8', WEBHOOK_CA: cert };
    const bed = await openBed(closing, { transport: 'local', settings, accounts: 1 });
    const rows: EventsRow[] = [];
    if (options.parts.includes('sealing')) rows.push(...(await measureSealing(bed, options.events)));
    if (options.parts.some((part) => part !== 'sealing')) {
        const receivers = closing.use(await openReceivers(bed, certify('receiver')));
        if (options.parts.includes('deliveries'))
            rows.push(...(await measureDeliveries(bed, receivers, options.events)));
        if (options.parts.includes('delays')) rows.push(...(await measureDelays(bed, receivers, options)));
    }
    console.log(`\n${eventsTable(rows)}\n`);
    if (options.json !== undefined) writeFileSync(options.json, JSON.stringify({ options, rows }, null, 2));
    return true;
}

await runAndClose(parseEventsOptions, events);
