import { AUDIENCE, newCredentials, newPresentation, newSigner, privateKeyOf } from '../tokens.ts';
import { times, VALID, type Workload } from './job.ts';

/** Number of credentials in each presentation. */
const HELD = 3;

export const presentationJobs: Workload[] = [
    {
        name: 'present',
        expected: { status: 201 },
        parts: { limit: 1, verify: HELD, sign: 1, presentation_row: 1 },
        perSecond: 3_500,
        requests: async (count, { world }) =>
            times(count, (index) => {
                const holder = newSigner();
                const body = {
                    holder_did: holder.did,
                    holder_private_key: privateKeyOf(holder),
                    credentials: newCredentials(index, HELD),
                    audience: AUDIENCE,
                    nonce: `nonce-${index}`,
                };
                return { method: 'POST', path: '/v1/presentations', token: world.accountOf(index).api_key, body };
            }),
    },
    {
        name: 'verify-presentation',
        expected: VALID,
        parts: { limit: 1, verify: HELD + 1 },
        perSecond: 3_500,
        requests: async (count, { world }) =>
            times(count, (index) => ({
                method: 'POST',
                path: '/v1/presentations/verify',
                token: world.accountOf(index).api_key,
                body: {
                    presentation: newPresentation(index, HELD),
                    audience: AUDIENCE,
                    nonce: `nonce-${index}`,
                    verify_credentials: true,
                },
            })),
    },
];
