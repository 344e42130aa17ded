import { type Metrics, secondsSince } from '../../../platform/telemetry/metrics.ts';
import type { Kek } from './kek.ts';

const OPERATIONS = ['wrap', 'unwrap'] as const;
const OUTCOMES = ['ok', 'refused', 'unavailable'] as const;

/** Returns a function that times each use of a KEK. `refused` means that a data key was not unwrapped. */
export function timedKek(metrics: Metrics): (kek: Kek) => Kek {
    const duration = metrics.histogram({
        name: 'key_encryption_duration_seconds',
        help: 'Duration of wrapping or unwrapping a data key of managed issuers, by outcome.',
        labels: ['operation', 'outcome'],
    });
    for (const operation of OPERATIONS) {
        for (const outcome of OUTCOMES) duration.zero({ operation, outcome });
    }
    const timed = async <Result>(operation: (typeof OPERATIONS)[number], run: () => Promise<Result>) => {
        const began = performance.now();
        let outcome: (typeof OUTCOMES)[number] = 'unavailable';
        try {
            const result = await run();
            outcome = result === undefined ? 'refused' : 'ok';
            return result;
        } finally {
            duration.observe({ operation, outcome }, secondsSince(began));
        }
    };
    return (kek) => ({
        name: kek.name,
        wrap: (...args) => timed('wrap', () => kek.wrap(...args)),
        unwrap: (...args) => timed('unwrap', () => kek.unwrap(...args)),
    });
}
