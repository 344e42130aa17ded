import type { CallContext } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { WALLET_ERRORS, type WalletError } from '../../../proto/openid4vci.ts';

const ENDPOINTS = ['token', 'credential', 'notification'] as const;

type Method<Request, Response> = (request: Request, context: CallContext) => Promise<Response>;
export type CountRefusals = <Request, Response>(
    endpoint: (typeof ENDPOINTS)[number],
    method: Method<Request, Response>,
) => Method<Request, Response>;

/** Exports what wallets are refused. Returns a function that makes a method count it. */
export function refusalCounter(metrics: Metrics): CountRefusals {
    const refusals = metrics.counter({
        name: 'exchange_refusals_total',
        help: 'Requests of wallets of other people that the exchange service refused, by endpoint and error.',
        labels: ['endpoint', 'error'],
    });
    for (const endpoint of ENDPOINTS) for (const error of WALLET_ERRORS) refusals.inc({ endpoint, error }, 0);
    return (endpoint, method) => async (request, context) => {
        try {
            return await method(request, context);
        } catch (error) {
            if (error instanceof AppError) refusals.inc({ endpoint, error: nameOf(error) });
            throw error;
        }
    };
}

/** The error that the wallet gets or, if it is about the service, its kind. */
function nameOf({ reason, kind }: AppError): string {
    return WALLET_ERRORS.some((error) => error === reason) ? (reason as WalletError) : kind;
}
