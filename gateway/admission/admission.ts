import type { IncomingMessage } from 'node:http';
import { AppError } from '../../platform/errors.ts';
import type { Access } from '../endpoint.ts';
import { contextOf, type Exchange } from '../http/exchange.ts';
import { type Admission, type Admitter, bearerRequired } from './admit.ts';
import { bearerToken } from './auth.ts';

/** Decides whether a call may go on, and counts it, according to the `access` of its endpoint. */
export type Admit = (access: Access, exchange: Exchange) => Promise<Admission>;

export function admission(options: { admitter: Admitter; isInternal(request: IncomingMessage): boolean }): Admit {
    const { admitter, isInternal } = options;

    /** The refusal for a caller without the internal secret. */
    async function withoutSecret(access: Access, exchange: Exchange): Promise<Admission> {
        const { decision, failure } = await admitter.anonymous(exchange.address, exchange);
        if (failure || access === 'login') return { decision, ...(failure && { failure }) };
        return { decision, failure: new AppError('unauthenticated', 'The internal secret is missing or wrong.') };
    }

    return async (access, exchange) => {
        const { request, address } = exchange;
        switch (access) {
            case 'public':
                return admitter.internal();
            case 'session':
            case 'bearer':
                return admitter.bearer(
                    bearerToken(request),
                    { keys: access === 'bearer' },
                    address,
                    contextOf(exchange),
                );
            default: {
                exchange.internal = isInternal(request);
                if (!exchange.internal) return withoutSecret(access, exchange);
                const needs_bearer = access === 'internal_session' && bearerToken(request) === undefined;
                return { ...admitter.internal(), ...(needs_bearer && { failure: bearerRequired() }) };
            }
        }
    };
}
