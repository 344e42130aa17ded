import { OAUTH_ERRORS } from '../http/oauth.ts';
import type { Schema } from './schemas.ts';

/** The form of errors that wallets read (RFC 6749, section 5.2). */
export const WALLET_ERROR: Schema = {
    type: 'object',
    properties: {
        error: { type: 'string', description: 'What is wrong, for programs.', enum: OAUTH_ERRORS },
        error_description: { type: 'string', description: 'What is wrong, in detail.' },
    },
    required: ['error', 'error_description'],
};

/** The envelope of an error. */
export const ERROR: Schema = {
    type: 'object',
    properties: {
        status: { const: 'error' },
        message: { type: 'string', description: 'A short summary.' },
        error: { type: 'string', description: 'What is wrong, in detail.' },
    },
    required: ['status', 'message', 'error'],
};
