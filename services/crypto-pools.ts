import type { Config } from '../platform/process/config.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { type Passwords, passwordPool } from '../workers/crypto/passwords.ts';
import { poolMetrics } from '../workers/crypto/pool-metrics.ts';
import { type Signatures, signaturePool } from '../workers/crypto/signatures.ts';

/**
 * Maximum number of calls that wait for a password hash: ten seconds of work on two cores. Beyond it: `unavailable`.
 */
const PASSWORDS_WAITING = 512;

/**
 * The thread pools of a process. A pool starts when a service first uses it, because most roles need only one of them
 * or none.
 */
export interface CryptoPools {
    signatures(): Signatures;
    passwords(): Passwords;
}

export function cryptoPools(options: { config: Config; metrics: Metrics; closing: AsyncDisposableStack }): CryptoPools {
    const { config, closing } = options;
    const metrics = poolMetrics(options.metrics);
    const startedOnce = <Pool extends { close(): Promise<void> }>(start: () => Pool): (() => Pool) => {
        let pool: Pool | undefined;
        return () => {
            pool ??= closing.adopt(start(), (started) => started.close());
            return pool;
        };
    };
    return {
        signatures: startedOnce(() => signaturePool({ threads: config.SIGNATURE_THREADS, metrics })),
        passwords: startedOnce(() =>
            passwordPool({
                threads: config.PASSWORD_THREADS,
                cost: { memory_kib: config.ARGON2_MEMORY_KIB, passes: config.ARGON2_PASSES },
                maxWaiting: PASSWORDS_WAITING,
                metrics,
            }),
        ),
    };
}
