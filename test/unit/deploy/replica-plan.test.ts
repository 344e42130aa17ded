import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { describe, it } from 'node:test';
import type { LaunchContext } from '../../../deploy/local/prepare.ts';
import { Problem } from '../../../deploy/local/problem.ts';
import { processCount, shareOf } from '../../../deploy/local/replicas/replica-plan.ts';
import { loadConfig } from '../../../platform/process/config.ts';

const contextOf = (given: Record<string, string>): LaunchContext => ({
    dataDir: '/nowhere',
    config: loadConfig(given),
    given,
});

describe('the processes of npm start', () => {
    it('are as many as PROCESSES says, by default one per core, less one', () => {
        assert.equal(processCount(contextOf({})), Math.min(Math.max(1, availableParallelism() - 1), 64));
        assert.equal(processCount(contextOf({ PROCESSES: '3' })), 3);
        for (const wrong of ['0', '65', '1.5', 'all', '-1']) {
            assert.throws(() => processCount(contextOf({ PROCESSES: wrong })), Problem, wrong);
        }
    });

    it('share the connections to PostgreSQL and the cores', () => {
        const cores = availableParallelism();
        const one = String(Math.max(1, Math.floor(cores / 64)));
        assert.deepEqual(shareOf(64, contextOf({})), {
            DATABASE_POOL: '1',
            SIGNATURE_THREADS: one,
            PASSWORD_THREADS: one,
        });
        assert.equal(shareOf(1, contextOf({})).PASSWORD_THREADS, String(cores));
        assert.equal(shareOf(1, contextOf({})).SIGNATURE_THREADS, String(Math.max(1, cores - 1)));
        const given = { DATABASE_POOL: '50', SIGNATURE_THREADS: '7', PASSWORD_THREADS: '9' };
        assert.deepEqual(shareOf(2, contextOf(given)), { ...given, DATABASE_POOL: '26' });
    });
});
