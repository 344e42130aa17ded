import { randomUUID } from 'node:crypto';
import { jobNamed } from '../../bench/jobs/index.ts';
import type { BenchEnvironment } from '../../bench/jobs/job.ts';
import type { HttpRequest } from '../../bench/load/requests.ts';

/**
 * The requests of the open loop, in parts of a hundred. None of them hashes a password, because that takes as much CPU
 * as fifty verifies. Requests that change state in other ways than by a new row are in visits.ts.
 */
const SHARES: ReadonlyArray<[name: string, parts: number]> = [
    ['verify', 24],
    ['verify-revocation', 14],
    ['issue', 12],
    ['resolve', 12],
    ['me', 10],
    ['list', 6],
    ['create-did', 5],
    ['verify-presentation', 4],
    ['present', 3],
    // Keys over their limit: 429 except for the first ten requests of each minute.
    ['refused', 3],
];
/** Other kinds of refused requests. */
const REFUSED = [
    'unknown path',
    'no token',
    'unknown token',
    'no object',
    'wrong field',
    'unknown id',
    'bad query',
    'no secret',
] as const;
const REFUSED_PARTS = 7;
/** Number of hundreds of requests that are made. The load sends them again and again. */
const HUNDREDS = 40;

/** Requests of every kind, mixed evenly so that no kind comes in bursts. */
export async function mixedRequests(environment: BenchEnvironment): Promise<HttpRequest[]> {
    const kinds = [];
    for (const [name, parts] of SHARES) {
        kinds.push({ requests: await jobNamed(name).requests(parts * HUNDREDS, environment) });
    }
    kinds.push({
        requests: Array.from({ length: REFUSED_PARTS * HUNDREDS }, (_, index) => refused(index, environment)),
    });
    const placed = kinds.flatMap(({ requests }) =>
        requests.map((request, index) => ({ request, at: index / requests.length })),
    );
    return placed.sort((one, other) => one.at - other.at).map(({ request }) => request);
}

function refused(index: number, { world }: BenchEnvironment): HttpRequest {
    const { api_key: token } = world.accountOf(index);
    switch (REFUSED[index % REFUSED.length]) {
        case 'no token':
            return { method: 'GET', path: '/v1/me' };
        case 'unknown token':
            return { method: 'GET', path: '/v1/me', token: `nobody-${index % 8}` };
        case 'no object':
            return { method: 'POST', path: '/v1/credentials/verify', token, body: 'no object' };
        case 'wrong field':
            return { method: 'POST', path: '/v1/credentials', token, body: { issuer_did: 7, claims: [] } };
        case 'unknown id':
            return { method: 'GET', path: `/v1/credentials/status/urn:uuid:${randomUUID()}`, token };
        case 'bad query':
            return { method: 'GET', path: '/v1/credentials/by-issuer/did:web:a.example?limit=0', token };
        case 'no secret':
            return { method: 'POST', path: '/internal/v1/auth/register', body: {} };
        default:
            return { method: 'GET', path: `/v1/nothing/${index % 8}` };
    }
}
