import type { IncomingMessage } from 'node:http';
import { accountSuspended } from '../../platform/access/account-suspended.ts';
import type { Limiter } from '../../platform/access/limiter.ts';
import type { RequestCounts } from '../../platform/access/request-counts.ts';
import type { CallContext, CallLifetime } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { hasScope } from '../../proto/scopes.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Client } from '../http/address.ts';
import { contextOf, type Exchange } from '../http/exchange.ts';
import { type AddressLimits, addressLimits } from './address-limits.ts';
import { authStates, type Decided } from './auth-states.ts';
import { type Authenticator, bearerToken } from './authenticator.ts';
import { type RestrictionRefusals, restrictionRefusals } from './restriction-refusals.ts';
import { type Verdict, verdictOf } from './verdict.ts';
import { walletAdmission } from './wallet-tokens.ts';

export interface Admission {
    /**
     * Authenticates a request, and counts it as `weight` requests, as its endpoint demands. All of them are admitted, or
     * none. Default: 1.
     */
    admit(endpoint: Pick<Endpoint, 'access' | 'scope'>, exchange: Exchange, weight?: number): Promise<Verdict>;
    /**
     * Authenticates a bearer token (undefined: the request has none), then counts the call in the token's bucket, as
     * `weight` calls. Default: 1.
     */
    bearer: AdmitBearer;
    /** Counts a call without a credential in the bucket of its address. */
    anonymous(address: string, lifetime: CallLifetime): Promise<Verdict>;
    /**
     * Provides the rate limit headers of calls that are never limited: internal and public ones. `weight`: the number of
     * requests that the call counts as.
     */
    unlimited(weight?: number): Verdict;
    /** Gives the address of a wallet back what it has paid, because its access token is valid. */
    walletServed(address: string): void;
    /** Counts a verified presentation: for an account, or for the platform alone. */
    countVerified(caller: { user_id?: string | undefined; key_id?: string }): void;
}

interface AdmissionOptions {
    authenticator: Authenticator;
    limiter: Limiter;
    requestCounts: RequestCounts;
    limits: { anonymous: number; unknownKey: number; internal: number };
    isInternal(request: IncomingMessage): boolean;
    log: Log;
    metrics: Metrics;
    /** Milliseconds since 1970. */
    clock: () => number;
}

export function admission(options: AdmissionOptions): Admission {
    const { limiter, limits, isInternal } = options;
    const addresses = addressLimits(options);
    const refusals = restrictionRefusals(options.metrics);
    const bearer = bearerAdmission(options, addresses, refusals);
    const wallet = walletAdmission(limiter, addresses);

    const unlimited = (weight?: number): Verdict => ({
        decision: limiter.takeLocally({
            tag: '',
            bucket: 'internal',
            limit: limits.internal,
            ...(weight !== undefined && { weight }),
        }),
    });

    async function trustedCaller(access: Endpoint['access'], exchange: Exchange, weight?: number): Promise<Verdict> {
        const { request, address } = exchange;
        exchange.internal = isInternal(request);
        if (exchange.internal) {
            const needsBearer = access === 'internal_session' && bearerToken(request) === undefined;
            return needsBearer ? { ...unlimited(), failure: unauthenticated(BEARER_REQUIRED) } : unlimited(weight);
        }
        const verdict = await addresses.anonymous(address, exchange);
        return access === 'anonymous' ? verdict : refused(verdict, 'The internal secret is missing or wrong.');
    }

    return {
        anonymous: addresses.anonymous,
        bearer,
        unlimited,

        async admit({ access, scope }, exchange, weight) {
            if (access === 'public') return unlimited(weight);
            if (access === 'wallet') return wallet(exchange.request, exchange.address, exchange);
            if (access !== 'session' && access !== 'bearer') return trustedCaller(access, exchange, weight);
            const accepts = { keys: access === 'bearer' };
            const verdict = await bearer(bearerToken(exchange.request), accepts, exchange, contextOf(exchange), weight);
            if (scope === undefined || verdict.failure || hasScope(verdict.principal?.scope_mask, scope))
                return verdict;
            return { ...verdict, failure: refusals.scope(scope) };
        },

        walletServed: (address) => void addresses.giveBackLookUp(address),
        countVerified: (caller) => options.requestCounts.verifiedPresentation(caller),
    };
}

type AdmitBearer = (
    token: string | undefined,
    accepts: { keys: boolean },
    client: Client,
    context: CallContext,
    weight?: number,
) => Promise<Verdict>;

function bearerAdmission(
    options: AdmissionOptions,
    addresses: AddressLimits,
    refusals: RestrictionRefusals,
): AdmitBearer {
    const { authenticator, requestCounts } = options;
    const { standing, decideCall } = authStates(options);

    /**
     * The address pays for a look-up that may end in a refusal, and gets that back if the key or session is active. So
     * too many guesses are refused before they are looked up, and known keys are not affected by them.
     */
    async function afterPaying(
        address: string,
        context: CallContext,
        decide: () => Promise<Decided>,
    ): Promise<Decided | { unpaid: Verdict }> {
        const paid = await addresses.lookUp(address, context);
        if (paid.failure) return { unpaid: paid };
        let isRefused = false;
        try {
            const decided = await decide();
            isRefused = 'refused' in decided && !('principal' in decided);
            return decided;
        } finally {
            if (!isRefused) void addresses.giveBackLookUp(address);
        }
    }

    return async (token, accepts, { ip, address }, context, weight = 1) => {
        const countCall = () => addresses.anonymous(address, context);
        if (token === undefined) return refused(await countCall(), BEARER_REQUIRED);
        const bearer = await authenticator.identify(token);
        if (!bearer || (bearer.kind === 'key' && !accepts.keys)) {
            const accepted = accepts.keys ? 'session token or API key' : 'session token';
            return refused(await countCall(), `The ${accepted} is not valid.`);
        }
        const decide = () => decideCall(bearer, context, ip, weight);
        const before = standing(bearer);
        // It will most likely be refused again, so the address decides first.
        const counted = before === 'suspended' ? await countCall() : undefined;
        if (counted?.failure) return counted;
        const pays = before === 'suspended' || (before === 'new' && bearer.kind === 'key');
        const decided = pays ? await afterPaying(address, context, decide) : await decide();
        if ('decision' in decided) {
            if (counted) void addresses.giveBackCall(address);
            const { decision, principal } = decided;
            if (decision.state === 'limited') requestCounts.refused(principal);
            else requestCounts.admitted(principal, weight);
            return { ...verdictOf(decision), principal };
        }
        const call = counted ?? (await countCall());
        if ('unpaid' in decided) return decided.unpaid;
        if (decided.refused === 'inactive') return refused(call, 'The bearer token is unknown, revoked or expired.');
        if (decided.refused === 'suspended') return { ...call, failure: call.failure ?? accountSuspended() };
        return { ...call, failure: call.failure ?? refusals[decided.refused](), principal: decided.principal };
    };
}

const BEARER_REQUIRED = 'A bearer token is required in Authorization.';

/** 401, or 429 when the address has used up its calls without a valid credential. */
function refused({ decision, failure }: Verdict, detail: string): Verdict {
    return { decision, failure: failure ?? unauthenticated(detail) };
}

function unauthenticated(detail: string): AppError {
    return new AppError('unauthenticated', detail);
}
