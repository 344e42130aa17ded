import '../../../deploy/local/node-version.ts';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Bed, openBed, runAndClose } from '../bed.ts';
import { figure, table } from '../table.ts';
import type { World } from '../world.ts';
import { insertAccounts } from './accounts.ts';
import { fillCredentials, pastId } from './fill.ts';
import { type LongList, readLongList } from './long-list.ts';
import { measurePoint, type Place, type Point, type PointLoad, preparePoint } from './point.ts';

/** `npm run bench:growth`: whether a request costs the same however much is stored, whoever asks, and on however many gateways. */

const { values } = parseArgs({
    options: {
        sizes: { type: 'string', default: '1000,100000,1000000' },
        accounts: { type: 'string', default: '1,10000' },
        gateways: { type: 'string', default: '1,2,4' },
        runs: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '1.5' },
        connections: { type: 'string', default: '64' },
        /** Of the list that is read whole; 0: none is. */
        'long-list': { type: 'string', default: '1000000' },
        json: { type: 'string' },
    },
});

const load: PointLoad = {
    runs: Number(values.runs),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
};
const numbers = (text: string): number[] => text.split(',').map(Number);
const sizes = numbers(values.sizes);
const account_counts = numbers(values.accounts);
/** At which the numbers of gateways are compared. */
const MIDDLE = { rows: sizes[Math.floor(sizes.length / 2)] ?? 1_000, accounts: account_counts.at(-1) ?? 1 };

async function growth(closing: AsyncDisposableStack): Promise<boolean> {
    const points: Point[] = [];
    let long_list: LongList | undefined;
    for (const accounts of account_counts) {
        await using series = new AsyncDisposableStack();
        const bed = await openGrownBed(series, closing, { accounts, transport: 'local', gateways: 1 });
        for (const rows of sizes) points.push(...(await measureAt(bed, { rows, accounts, gateways: 1 })));
        const last = accounts === account_counts.at(-1);
        if (last && Number(values['long-list']) > 0) long_list = await readLongList(bed, Number(values['long-list']));
    }
    const by_gateways: Point[] = [];
    for (const gateways of numbers(values.gateways)) {
        await using series = new AsyncDisposableStack();
        const bed = await openGrownBed(series, closing, { accounts: MIDDLE.accounts, transport: 'grpc', gateways });
        by_gateways.push(...(await measureAt(bed, { ...MIDDLE, gateways })));
    }
    console.log(
        `\nAll in one process\n\n${pointTable(points)}\n\nOne process per role, over gRPC\n\n${pointTable(by_gateways)}\n`,
    );
    if (long_list) console.log(`${describeList(long_list)}\n`);
    if (values.json !== undefined)
        writeFileSync(values.json, JSON.stringify({ points, by_gateways, long_list }, null, 2));
    return [...points, ...by_gateways].every(({ errors }) => errors === 0);
}

/** A service with accounts that were written past it; its windows are a second long, so that one account may ask as often as many. */
async function openGrownBed(
    series: AsyncDisposableStack,
    closing: AsyncDisposableStack,
    { accounts, ...stack }: { accounts: number; transport: 'local' | 'grpc'; gateways: number },
): Promise<Bed> {
    closing.defer(() => series.disposeAsync()); // where a signal ends it
    const bed = await openBed(series, { ...stack, accounts: 1, settings: { RATE_WINDOW_SECONDS: '1' } });
    const { db, world } = bed.ground;
    const callers = await insertAccounts(db, accounts, bed.stack.jwt_key);
    const accountOf: World['accountOf'] = (index) => callers[index % callers.length] as (typeof callers)[number]; // some
    return { ...bed, ground: { db, world: { ...world, accounts: callers, accountOf }, credentialId: pastId } };
}

async function measureAt(bed: Bed, place: Place): Promise<Point[]> {
    const { db, world } = bed.ground;
    const prepared = await preparePoint(bed, place, load);
    await fillCredentials(db, place.rows, [...new Set(world.accounts.map(({ user_id }) => user_id))]);
    const points: Point[] = [];
    for (const job of prepared) {
        const point = await measurePoint(bed, job, place, load);
        console.log(JSON.stringify(point));
        points.push(point);
    }
    return points;
}

/** By job; each point beside the first of its job. */
function pointTable(points: readonly Point[]): string {
    const rows = [...Map.groupBy(points, ({ job }) => job).values()].flatMap((group) =>
        group.map((point) => [
            point.job,
            point.rows.toLocaleString('en'),
            point.accounts.toLocaleString('en'),
            String(point.gateways),
            figure(point.requests_per_second),
            figure(point.cpu_us_per_request),
            point.range_us.map(figure).join(' – '),
            figure(point.cpu_us_per_request / (group[0]?.cpu_us_per_request ?? 1)),
        ]),
    );
    return table(['job', 'credentials', 'accounts', 'gateways', 'req/s', 'CPU µs', 'least – most', '÷ first'], rows);
}

function describeList({ rows, mib, seconds, before_mib, peak_mib }: LongList): string {
    const memory = `memory ${figure(before_mib)} MiB before, at most ${figure(peak_mib)} MiB`;
    return `A list of ${rows.toLocaleString('en')} credentials: ${figure(mib)} MiB in ${figure(seconds)} s; ${memory}.`;
}

await runAndClose(growth);
