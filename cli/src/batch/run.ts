import type { Client } from '../../../client/src/client.ts';
import { CliError, EXIT } from '../errors.ts';
import type { Report } from '../report.ts';
import type { World } from '../world.ts';
import { type Answered, deliver, TooManyItems } from './deliver.ts';
import { type Fields, itemsOf, type Reader } from './items.ts';
import { sha256Of } from './lines.ts';
import { idempotencyKey, isLate, KNOWN_HOURS, newPlan, sizeAt } from './plan.ts';
import { inWords, type Progress, progressOn } from './progress.ts';
import { type Request, requestsOf } from './requests.ts';
import { isGood, openResults, type Result, type Results } from './results.ts';
import { openSource, type Source } from './source.ts';

/** What a batch does with its items. */
export interface Job {
    /** `issue`, `verify` or `revoke`. */
    name: string;
    reader: Reader;
    /** What all requests have in common, without secrets. */
    settings: Fields;
    /** Whether a request that is repeated without its Idempotency-Key would do everything again. */
    needsKey?: true;
    /** Sends one request. The same key means the same request. */
    send(client: Client, items: Fields[], key: string): Promise<Answered[]>;
}

interface Files {
    from: string;
    out: string | undefined;
    /** Whether to continue even if the service may have forgotten what an earlier run has sent. */
    late?: boolean;
}

/** Time that one request may take, in milliseconds. The service takes at most 30 s for a batch. */
const REQUEST_MS = 60_000;

/** Runs a batch, or continues it. `open` returns a client whose session is fresh. */
export async function runBatch(
    job: Job,
    { from, out, late, world, open }: Files & { world: World; open: (options: object) => Promise<Client> },
): Promise<Report> {
    const source = await openSource(from, world);
    const plan = newPlan(job.name, await sha256Of(source), job.settings);
    const total = await countItems(source, job.reader);
    const results = await openResults(plan, out, world);
    const progress = progressOn(world, total);
    const send = async (items: Fields[], key: string) =>
        job.send(await open({ tries: 1, timeout_ms: REQUEST_MS }), items, key);
    try {
        if (results.done > total) throw tooManyResults(results.done, total);
        if (late && results.resumed && isLate(results.plan)) restart(results);
        while (!(await sendAll({ source, job, results, progress, send })));
    } finally {
        progress.clear();
        results.close();
    }
    return summary(results, { total, out, world });
}

const tooManyResults = (done: number, total: number): CliError =>
    new CliError(`The file of --out has ${done} results, but the input has only ${total} items. Use another --out.`);

/** Reads the whole input before anything is sent, so that a bad line stops a batch that has no effect yet. */
async function countItems(source: Source, reader: Reader): Promise<number> {
    let total = 0;
    for await (const { items } of requestsOf(itemsOf(source, reader), () => 1)) total += items.length;
    if (total === 0) throw new CliError(`${source.name} has no items.`);
    return total;
}

interface Sending {
    source: Source;
    job: Job;
    results: Results;
    progress: Progress;
    send(items: Fields[], key: string): Promise<Answered[]>;
}

/** Sends what is not done. Returns false if the plan has changed, so that the rest must be divided again. */
async function sendAll({ source, job, results, progress, send }: Sending): Promise<boolean> {
    // An earlier run may have sent the first request of this one. All others are new.
    let isNew = !results.resumed;
    for await (const request of requestsOf(itemsOf(source, job.reader), (start) => sizeAt(results.plan, start))) {
        const { start, items } = request;
        requireSame(request, results);
        if (start + items.length <= results.done) continue;
        const [first, last] = [items[0]?.line ?? 0, items.at(-1)?.line ?? 0]; // there is at least one item
        try {
            const key = idempotencyKey(results.plan, first);
            const fields = items.map((item) => item.fields);
            const answers = await deliver(async () => {
                if (job.needsKey && !isNew) requireKnown(results, first, last);
                return send(fields, key);
            }, progress.pause);
            await keep(request, answers, results);
        } catch (error) {
            if (error instanceof TooManyItems && isNew) {
                changeSize(results, start, error.limit);
                return false;
            }
            throw stopped(error, first, last);
        }
        results.resumed = false;
        isNew = true;
        progress.count(results.done, results.failed);
    }
    return true;
}

/** The last result of an earlier run must be in its place. Nobody may have edited the file. */
function requireSame({ start, items }: Request, { done, lastLine }: Results): void {
    const item = items[done - 1 - start];
    if (lastLine === undefined || item === undefined || item.line === lastLine) return;
    throw new CliError(
        `The file of --out has ${done} results, but the last one is not that of line ${item.line}. Use another --out.`,
    );
}

/** The service must still know a request that an earlier run may have sent. A wait may have taken long, too. */
function requireKnown({ plan }: Results, first: number, last: number): void {
    if (!isLate(plan)) return;
    throw new CliError(
        `The batch began more than ${KNOWN_HOURS} hours ago, so the service may have forgotten that lines ${first} to ${last} are issued already, and would issue them again. Put the lines that still need a credential into a new file and use another --out, or give --continue-late if it does no harm that a line has two credentials.`,
    );
}

/** Continues a batch as if it began now: from here on, the service knows what is sent. */
function restart(results: Results): void {
    results.plan = { ...results.plan, started_at: new Date().toISOString() };
    results.storePlan(results.plan);
}

/** Writes the results of a request, without those that an earlier run has written. */
async function keep({ start, items }: Request, answers: readonly Answered[], results: Results): Promise<void> {
    const lines = items.map(({ line }, index): Result => {
        const { index: _, ...answer } = answers[index] ?? { ok: false, code: 'internal', error: 'There is no result.' };
        return { line, ...answer };
    });
    const fresh = lines.slice(Math.max(0, results.done - start));
    await results.write(fresh);
    results.done += fresh.length;
    results.lastLine = lines.at(-1)?.line;
    results.failed += fresh.filter((result) => !isGood(result)).length;
}

/**
 * Sends fewer items from here on. Half of the limit leaves room for other calls with the same key: a request of the
 * whole limit would wait for a minute in which there is no other call.
 */
function changeSize(results: Results, start: number, limit: number): void {
    const sizes = [...results.plan.sizes, { after: start, items: Math.max(1, Math.floor(limit / 2)) }];
    results.plan = { ...results.plan, sizes };
    results.storePlan(results.plan);
}

function stopped(error: unknown, first: number, last: number): unknown {
    if (!(error instanceof TooManyItems)) return error;
    return new CliError(
        `Lines ${first} to ${last} may have been sent before as one request, and this key may send only ${error.limit} items at once. Use the key of the first run.`,
        EXIT.service,
    );
}

function summary(
    { failed }: Results,
    { total, out, world }: { total: number; out: string | undefined; world: World },
): Report {
    const good = failed === 0;
    const place = out === undefined ? '' : ` Results: ${out}`;
    const text = `${inWords(total)} items, ${good ? 'all' : `${inWords(total - failed)}`} succeeded${good ? '' : `, ${inWords(failed)} failed`}.${place}`;
    if (out !== undefined)
        return { good, data: { items: total, succeeded: total - failed, failed, out }, lines: [text] };
    world.stderr.write(`${text}\n`); // standard output has the results
    return { good };
}
