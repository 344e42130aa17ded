import { isIP } from 'node:net';
import type { Request } from 'express';
import { readIdempotencyKey } from '../platform/access/idempotency-key.ts';
import { withIdempotencyKey } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { bearerToken } from './admission/authenticator.ts';
import { walletToken } from './admission/wallet-tokens.ts';
import type { Endpoint, Input } from './endpoint.ts';
import { parse } from './fields.ts';
import { networkOf } from './http/address.ts';
import { JSON_TYPE, parseBody, parseForm, requireMediaType } from './http/body.ts';
import { NDJSON_TYPE } from './http/body-lines.ts';
import { contextOf, type Exchange, headerFields } from './http/exchange.ts';
import type { ParseInTurn } from './http/parse-turns.ts';
import { parseQuery } from './http/query.ts';
import { actOnBehalf } from './on-behalf-of.ts';
import type { Services } from './services.ts';

type AnyInput = Input<unknown, unknown, unknown, unknown>;

/** What the header of a request says, validated with the schemas of its endpoint. */
export type Head = Pick<AnyInput, 'params' | 'query' | 'headers' | 'bearer' | 'sentAsDpop' | 'ip'> & {
    key: string | undefined;
};

/**
 * Reads the header of an admitted request. Comes before the body is read, so that a client that waits to be asked for
 * its body gets a refusal at once.
 */
export function readHead(endpoint: Endpoint, exchange: Exchange): Head {
    const request = exchange.request as Request; // messageClasses() gives it Express's prototype
    if (exchange.malformedPath) throw new AppError('invalid', 'The path is not properly percent-encoded.');
    if (exchange.body.isHeldBack() && !endpoint.form) {
        requireMediaType(request.headers, endpoint.lines ? NDJSON_TYPE : JSON_TYPE);
    }
    return {
        key: endpoint.byKey && keyOf(request),
        params: endpoint.params && parse(endpoint.params, request.params),
        query: endpoint.query && parse(endpoint.query, parseQuery(request.url)),
        headers: endpoint.headers && parse(endpoint.headers, headerFields(request)),
        ...(endpoint.access === 'wallet' ? walletToken(request) : { bearer: bearerToken(request) }),
        ip: exchange.internal ? namedIp(exchange) : exchange.ip,
    };
}

/** Adds the body of the request, which is `bytes`, to its head. */
export async function readInput(
    endpoint: Endpoint,
    exchange: Exchange,
    { head, bytes, services, parseInTurn }: { head: Head; bytes: Buffer; services: Services; parseInTurn: ParseInTurn },
): Promise<AnyInput> {
    const parseWhole = endpoint.form ? parseForm : parseBody;
    const body = await parseInTurn(exchange, bytes, (whole) => parseWhole(exchange.request.headers, whole));
    return inputOf(endpoint, exchange, { head, body, services });
}

/** Adds the parsed body of the request, or a part of its lines, to its head. */
export async function inputOf(
    endpoint: Endpoint,
    exchange: Exchange,
    { head, body, services }: { head: Head; body: unknown; services: Services },
): Promise<AnyInput> {
    const { key, ...input } = head;
    const context = withIdempotencyKey(contextOf(exchange, endpoint.timeout_ms), key);
    if (exchange.internal) {
        context.trusted = endpoint.access !== 'anonymous'; // a login is authenticated by its password only
        context.address = networkOf(input.ip);
        if (endpoint.access === 'internal') await actOnBehalf(exchange, context, services);
    }
    return { ...input, body: endpoint.body && parse(endpoint.body, body), services, context };
}

/**
 * Returns the `Idempotency-Key` as it was sent; the service that creates reads it in the same way. Throws AppError
 * `invalid` if it is malformed.
 */
function keyOf({ headers }: Request): string | undefined {
    const sent = headers['idempotency-key'];
    if (sent === undefined) return undefined;
    const value = String(sent); // Node joins repeated fields, and the result is not a valid key
    readIdempotencyKey(value);
    return value;
}

/**
 * A trusted caller may send the end user's address, so that password guesses are counted for that address (decision
 * A20), and an API key is checked for it (K6).
 */
function namedIp({ request, ip }: Exchange): string {
    const named = request.headers['x-client-address'];
    if (named === undefined) return ip;
    if (typeof named !== 'string' || isIP(named) === 0) {
        throw new AppError('invalid', 'X-Client-Address must be an IP address.');
    }
    return named;
}
