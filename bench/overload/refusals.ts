import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { latencyOf } from '../percentiles.ts';

/** By the log's lines from the byte `from` on: p99 of the time from reading a request to refusing it with 503, in ms. */
export async function refusalsIn(log_file: string, from: number): Promise<number> {
    const times: number[] = [];
    for await (const line of createInterface({ input: createReadStream(log_file, { start: from }) })) {
        if (!line.includes('"status":503')) continue;
        times.push(Number(/"duration_ms":([\d.]+)/.exec(line)?.[1]));
    }
    return latencyOf(times).p99;
}
