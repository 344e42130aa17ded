import '../../deploy/local/node-version.ts';
import { writeFileSync } from 'node:fs';
import { runAndClose } from '../bed.ts';
import { fillBed, type GrownBed, openGrownBed } from './grown-bed.ts';
import { type LongList, readLongList } from './long-list.ts';
import type { Part } from './options.ts';
import { type GrowthOptions, parseGrowthOptions } from './options.ts';
import { placesOf } from './places.ts';
import { describeList, pointTable } from './report.ts';
import { measureByTurns, type Point } from './turns.ts';

/**
 * `npm run bench:growth`: measures whether a request costs the same with any number of stored credentials, of accounts
 * and of gateways.
 */

async function growth(closing: AsyncDisposableStack, options: GrowthOptions): Promise<boolean> {
    const points: Point[] = [];
    let longList: LongList | undefined;
    for (const part of options.parts) {
        await using series = new AsyncDisposableStack();
        closing.defer(() => series.disposeAsync()); // in case a signal ends the run
        const beds = await openBeds(series, part, options);
        if (part === 'list') {
            longList = await readLongList(beds[0] as GrownBed, options.listRows); // the part `list` has one place
            console.log(`\n${describeList(longList)}\n`);
        } else {
            points.push(...(await measurePart(beds, part, options)));
        }
    }
    if (options.json !== undefined) {
        writeFileSync(options.json, JSON.stringify({ options, points, longList }, null, 2));
    }
    const failed = points.filter(({ errors }) => errors > 0);
    for (const { job, firstError } of failed) console.error(`${job} had errors; the first:\n${firstError}`);
    return failed.length === 0;
}

/** Starts the services of all places of a part. They run side by side, because an idle service costs almost nothing. */
async function openBeds(series: AsyncDisposableStack, part: Part, options: GrowthOptions): Promise<GrownBed[]> {
    const places = placesOf(part, options);
    const extent = {
        rows: Math.min(...places.map(({ rows }) => rows)),
        accounts: Math.max(...places.map(({ accounts }) => accounts)),
    };
    const beds: GrownBed[] = [];
    for (const place of places) {
        const bed = await openGrownBed(series, place);
        beds.push(bed);
        if (part !== 'list') await fillBed(bed, options.only, extent);
    }
    return beds;
}

async function measurePart(beds: readonly GrownBed[], part: Part, options: GrowthOptions): Promise<Point[]> {
    const transport = beds[0]?.place.transport === 'grpc' ? 'one process per role, over gRPC' : 'all in one process';
    console.log(`\n${part}: ${transport}\n`);
    const points: Point[] = [];
    for (const job of options.only) {
        const measured = await measureByTurns(beds, job, options);
        console.log(`${pointTable(measured)}\n`);
        points.push(...measured);
    }
    return points;
}

await runAndClose(parseGrowthOptions, growth);
