import { PRE_AUTHORIZED_CODE } from '../../proto/openid4vci.ts';
import { codeOf } from '../../services/exchange/secrets.ts';
import { CONFIGURATION } from '../load/redemption.ts';
import type { HttpRequest } from '../load/requests.ts';
import { claimsOf, manyClaimsOf } from '../tokens.ts';
import { type Issuer, issueRequest, newIssuers } from './issuers.ts';
import { type BenchEnvironment, times, type Workload } from './job.ts';

/** The type of all credentials here. In an SD-JWT it is a URI. */
const VCT = 'https://bench.example/employment';
/** Number of offers that are made at a time. */
const OFFERS_AT_ONCE = 64;
/** Longer than a run takes, with what comes before it. */
const OFFER_SECONDS = 3_600;

const PASETO = 'issue-25-claims';

export const walletJobs: Workload[] = [
    ...[
        { name: PASETO, alg: 'EdDSA', form: {} } as const,
        ...(['EdDSA', 'ES256'] as const).map((alg) => ({
            name: `issue-sd-jwt-${alg.toLowerCase()}`,
            alg,
            form: { format: 'dc+sd-jwt' },
            comparedTo: PASETO,
        })),
    ].map(
        ({ alg, form, ...job }): Workload => ({
            ...job,
            expected: { status: 201 },
            perSecond: 6_000,
            async requests(count, { world }) {
                const issuers = await newIssuers(world, 'web', alg);
                return times(count, (index) => {
                    const more = { credential_type: VCT, claims: manyClaimsOf(index), ...form };
                    return issueRequest(index, world, issuers[index % issuers.length] as Issuer, more);
                });
            },
        }),
    ),
    {
        name: 'redeem',
        expected: { status: 200, text: '"credentials":[{"credential":"' },
        dialogue: 'redemption',
        perSecond: 1_000,
        requests: tokenRequests,
    },
];

/** Makes `count` offers, and returns the requests with which wallets spend their codes. */
async function tokenRequests(count: number, { world }: BenchEnvironment): Promise<HttpRequest[]> {
    const issuers = await newIssuers(world, 'web', 'ES256');
    const configuration = { configuration_id: CONFIGURATION, format: 'dc+sd-jwt', vct: VCT };
    for (const [index, issuer] of issuers.entries()) {
        const { api_key: token } = world.accountOf(index);
        await world.call({ path: `/v1/issuers/${issuer.issuer_id}/configurations`, token, body: configuration });
        // The first credential of an issuer begins its status list, which its redemptions would wait for.
        const { path, body } = issueRequest(index, world, issuer, {
            credential_type: VCT,
            format: 'dc+sd-jwt',
            status_list: true,
        });
        await world.call({ path, token, body });
    }
    const offered = async (index: number): Promise<HttpRequest> => {
        const { issuer_id } = issuers[index % issuers.length] as (typeof issuers)[number];
        const named = { issuer_id, configuration_id: CONFIGURATION, expires_in: OFFER_SECONDS };
        const body = { ...named, claims: claimsOf(index) };
        const offer = await world.call({ path: '/v1/offers', token: world.accountOf(index).api_key, body });
        const link = new URL(String(offer['offer_uri'])).searchParams.get('credential_offer_uri') ?? '';
        const code = codeOf(link.slice(link.lastIndexOf('/') + 1));
        const form = { grant_type: PRE_AUTHORIZED_CODE, 'pre-authorized_code': code };
        return { method: 'POST', path: `/issuers/${issuer_id}/token`, form };
    };
    const made: HttpRequest[] = [];
    for (let from = 0; from < count; from += OFFERS_AT_ONCE) {
        const some = times(Math.min(OFFERS_AT_ONCE, count - from), (offset) => offered(from + offset));
        made.push(...(await Promise.all(some)));
    }
    return made;
}
