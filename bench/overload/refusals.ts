import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { latencyOf } from '../percentiles.ts';

/**
 * Reads the log from the byte `from` on. Returns the p99 of the time from reading a request to refusing it with 503, in
 * milliseconds.
 */
export async function refusalsIn(logFile: string, from: number): Promise<number> {
    const times: number[] = [];
    for await (const line of createInterface({ input: createReadStream(logFile, { start: from }) })) {
        if (!line.includes('"status":503')) continue;
        times.push(Number(/"duration_ms":([\d.]+)/.exec(line)?.[1]));
    }
    return latencyOf(times).p99;
}
