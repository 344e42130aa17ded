import { z } from 'zod';
import { oneOf, shownBytes, textOrNull } from '../answer-fields.ts';
import { endpoint } from '../endpoint.ts';
import { accountPages } from '../exports/account.ts';
import { LineStream } from '../exports/line-stream.ts';
import { event } from './events.ts';
import { configuration } from './exchange/configurations.ts';
import { offer } from './exchange/offers.ts';
import { issuer } from './issuers.ts';
import { keySummary } from './keys.ts';
import { userFields } from './me.ts';
import { statistics } from './statistics.ts';
import { webhook } from './webhooks/webhooks.ts';

const number = z.number();

/** The line of an object of each kind. No line has a secret. */
const LINES = [
    z.object({ kind: z.literal('export'), version: number, exported_at: z.string() }),
    z.object({ kind: z.literal('user'), ...userFields, last_login_at: textOrNull }),
    z.object({ kind: z.literal('statistics'), ...statistics.shape }),
    z.object({
        kind: z.literal('session'),
        session_id: z.string(),
        created_at: z.string(),
        expires_at: z.string(),
        ended_at: z.string().optional(),
    }),
    z.object({ kind: z.literal('key'), ...keySummary.shape }),
    z.object({
        kind: z.literal('did'),
        did: z.string(),
        public_key: shownBytes,
        origin: oneOf('generated', 'wallet', 'registered'),
        created_at: z.string(),
    }),
    z.object({ kind: z.literal('issuer'), ...issuer.shape }),
    z.object({ kind: z.literal('configuration'), ...configuration.shape }),
    z.object({
        kind: z.literal('credential'),
        credential_id: z.string(),
        issuer: z.string(),
        subject: z.string(),
        credential_type: z.string(),
        issued_at: z.string(),
        expires_at: z.string().optional(),
        revoked: z.boolean(),
        revoked_at: z.string().optional(),
        reason: z.string().optional(),
    }),
    z.object({
        kind: z.literal('presentation'),
        presentation_id: z.string(),
        holder: z.string(),
        audience: z.string(),
        credentials_count: number,
        created_at: z.string(),
    }),
    z.object({
        kind: z.literal('wallet'),
        wallet_id: z.string(),
        created_at: z.string(),
        contents: oneOf('sealed'),
    }),
    z.object({ kind: z.literal('webhook'), ...webhook.shape }),
    z.object({ kind: z.literal('offer'), ...offer.shape }),
    z.object({ kind: z.literal('event'), ...event.shape }),
    z.object({ kind: z.literal('end'), counts: z.record(z.string(), number) }),
] as const;

export const exportEndpoints = [
    endpoint({
        id: 'me.export',
        summary: 'Export the account',
        description:
            'What the service stores about the account, as lines of JSON (`application/x-ndjson`), each with its `kind`: `export`, `user`, `statistics`, `session`, `key`, `did`, `issuer`, `configuration`, `credential`, `presentation`, `wallet`, `webhook`, `offer`, `event`, and at last `end`. Without the line `end` the export is not complete. What changes meanwhile may be in it or not. It has no secrets: no passwords, tokens or private keys. Only the password of a wallet opens its contents. It counts as one request, and each gateway writes one export of an account at a time.',
        method: 'GET',
        path: '/v1/me/export',
        access: 'session',
        status: 200,
        message: 'Export of the account',
        streams: true,
        answer: z.discriminatedUnion('kind', LINES),
        async call({ services }) {
            return new LineStream((context) => accountPages(services, context, new Date().toISOString()));
        },
    }),
];
