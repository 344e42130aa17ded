import { hash, randomBytes } from 'node:crypto';
import { decodeBase64Url, encodeBase64Url } from '../../../platform/base64.ts';
import { decodeUtf8 } from '../../../verify/src/primitives.ts';

export const digest = (text: string): string => hash('sha256', text, 'base64url');
/** What reading and making SD-JWTs needs. */
export const NODE = { decodeBase64Url, encodeBase64Url, decodeUtf8, digest, randomBytes };

/** Returns a disclosure, whatever its content is. */
export const disclosure = (content: unknown): string => encodeBase64Url(Buffer.from(JSON.stringify(content)));
