import type { Target } from '../parsers/target.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { apiKey, base64, credentialId, cursor, did, didKey, p256DidKey } from './identifiers.ts';
import { json, jsonObject } from './json.ts';
import { frame } from './messages.ts';
import { pasetoPayload, pasetoToken } from './paseto.ts';
import { address, authorization, headerFields, query, requestTarget, traceparent } from './request-lines.ts';
import { bodies, parameters } from './schemas.ts';
import { sdJwtPayload, sdJwtToken } from './sd-jwt.ts';
import { sessionClaims, sessionToken } from './session-token.ts';
import { dateTime, email, phcString } from './texts.ts';

/** Every parser of input from outside the service. */
export const TARGETS: readonly Target[] = [
    ...[json, jsonObject, bodies, parameters],
    ...[query, requestTarget, authorization, headerFields, address, idempotencyKey, traceparent],
    ...[pasetoToken, pasetoPayload, sdJwtToken, sdJwtPayload, sessionToken, sessionClaims],
    ...[didKey, p256DidKey, did, base64, cursor, apiKey, credentialId],
    ...[email, dateTime, phcString, frame],
];

export function targetNamed(name: string): Target {
    const found = TARGETS.find((candidate) => candidate.name === name);
    if (!found) throw new Error(`There is no target ${name}.`);
    return found;
}
