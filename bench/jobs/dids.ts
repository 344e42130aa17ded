import { insertDids } from '../rows.ts';
import { newSigner } from '../tokens.ts';
import { times, type Workload } from './job.ts';

export const didJobs: Workload[] = [
    {
        name: 'create-did',
        expected: { status: 201 },
        parts: { limit: 1, key_pair: 1, did_row: 1 },
        perSecond: 9_000,
        requests: async (count, { world }) =>
            times(count, (index) => ({ method: 'POST', path: '/v1/did', token: world.accountOf(index).api_key })),
    },
    {
        name: 'resolve',
        expected: { status: 200 },
        parts: { limit: 1, find: 1 },
        perSecond: 15_000,
        async requests(count, { world, db }) {
            const rows = times(count, (index) => ({ ...newSigner(), account: world.accountOf(index).user_id }));
            await insertDids(db, rows);
            return rows.map(({ did }, index) => ({
                method: 'GET',
                path: `/v1/did/${did}`,
                token: world.accountOf(index).api_key,
            }));
        },
    },
];
