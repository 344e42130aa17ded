import { Histogram, Registry } from 'prom-client';
import { newId } from '../../platform/ids.ts';
import { createLog } from '../../platform/telemetry/log.ts';
import type { Rounds } from './part.ts';

const BATCH = 32;

/** Writing the log line of a request to a file, and recording its duration in a histogram. */
export function tellingParts(logFile: string): Record<'log_line' | 'metrics', Rounds> {
    const log = createLog({ level: 'info', file: logFile, name: 'floor' });
    const duration = new Histogram({
        name: 'duration',
        help: 'none',
        labelNames: ['route', 'method', 'status'],
        registers: [new Registry()],
    });
    const ids = { request_id: newId(), user_id: newId(), key_id: newId() };
    const line = { ...ids, method: 'POST', route: 'credentials.verify', status: 200, duration_ms: 1.234 };
    const labels = { route: 'credentials.verify', method: 'POST', status: 200 };
    return {
        log_line: rounds(async () => {
            for (let lines = 0; lines < BATCH; lines++) log.info(line);
            await new Promise(setImmediate); // the log writes to its file between requests
        }),
        metrics: rounds(() => {
            for (let observed = 0; observed < BATCH; observed++) duration.observe(labels, 0.001);
        }),
    };
}

function rounds(round: Rounds['round']): Rounds {
    return { perRound: BATCH, inFlight: 1, round };
}
