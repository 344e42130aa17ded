import { dashboard, gauge, quantile, rate } from './dashboard.ts';
import { batchSize, queueLength, queueRefusals } from './process-panels.ts';

const TASKS = 'crypto_task_duration_seconds';
const KEY_ENCRYPTION = 'key_encryption_duration_seconds';
const QUEUES = 'queue=~"signatures|passwords_.*|password_attempts"';

export const cryptoPools = dashboard('crypto-pools', 'cryptography', [
    {
        title: 'Threads',
        panels: [
            {
                title: 'Running tasks per thread',
                unit: 'short',
                lines: {
                    '{{role}}: {{pool}}': `${rate(`${TASKS}_sum`, '', 'role, pool')} / sum by (role, pool) (${gauge('crypto_pool_threads')})`,
                },
            },
            { title: 'Finished tasks', unit: 'ops', lines: { '{{pool}}': rate(`${TASKS}_count`, '', 'pool') } },
            {
                title: 'Tasks waiting for a thread',
                unit: 'short',
                lines: { '{{pool}}': `sum by (pool) (${gauge('crypto_pool_waiting_tasks')})` },
            },
            {
                title: 'Number of threads',
                unit: 'short',
                lines: { '{{role}}: {{pool}}': `sum by (role, pool) (${gauge('crypto_pool_threads')})` },
            },
        ],
    },
    {
        title: 'Time',
        panels: [
            {
                title: 'Time of a task',
                unit: 's',
                lines: {
                    '{{pool}}, median': quantile(0.5, TASKS, '', 'pool'),
                    '{{pool}}, 99th percentile': quantile(0.99, TASKS, '', 'pool'),
                },
            },
            {
                title: 'Wait of a password for a thread',
                unit: 's',
                lines: {
                    '{{lane}}, median': quantile(0.5, 'password_wait_seconds', '', 'lane'),
                    '{{lane}}, 95th percentile': quantile(0.95, 'password_wait_seconds', '', 'lane'),
                },
            },
        ],
    },
    {
        title: 'Key-encryption key',
        panels: [
            {
                title: 'Wrapped and unwrapped data keys, by outcome',
                unit: 'ops',
                lines: {
                    '{{operation}}, {{outcome}}': rate(`${KEY_ENCRYPTION}_count`, '', 'operation, outcome'),
                },
            },
            {
                title: 'Time to wrap or unwrap a data key, 99th percentile',
                unit: 's',
                lines: { '{{operation}}': quantile(0.99, KEY_ENCRYPTION, '', 'operation') },
            },
            {
                title: 'Missing key-encryption keys',
                unit: 'short',
                lines: { missing: `max(${gauge('key_encryption_keys_missing')})` },
            },
        ],
    },
    { title: 'Queues', panels: [queueLength(QUEUES), batchSize(QUEUES), queueRefusals(QUEUES)] },
]);
