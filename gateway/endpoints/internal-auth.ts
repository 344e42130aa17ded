import { z } from 'zod';
import type { Session, User } from '../../proto/gen/identity/v1/identity.ts';
import { textOrNull } from '../answer-fields.ts';
import { endpoint } from '../endpoint.ts';
import { name, optional } from '../fields.ts';
import { userFields } from './me.ts';

const session = z.object({ token: z.string(), refresh_token: z.string(), expires_at: z.string() });

/**
 * Largest body of a login, in bytes: three times the longest email address and password with every character escaped.
 * Beyond it: 413.
 */
const MAX_LOGIN_BYTES = 32 << 10;

export const internalAuthEndpoints = [
    endpoint({
        id: 'internal.auth.register',
        summary: 'Register an account',
        method: 'POST',
        path: '/internal/v1/auth/register',
        access: 'internal',
        status: 201,
        message: 'User registered',
        byKey: true,
        actsOn: 'user_id',
        hashesPassword: true,
        body: z.object({ email: z.string(), password: z.string(), name: optional(name) }),
        answer: z.object(userFields),
        call: ({ body, services, context }) => services.identity.register(body, context),
    }),

    endpoint({
        id: 'internal.auth.login',
        summary: 'Log in',
        method: 'POST',
        path: '/internal/v1/auth/login',
        access: 'anonymous',
        maxBodyBytes: MAX_LOGIN_BYTES,
        status: 200,
        message: 'Logged in',
        actsOn: 'user_id',
        hashesPassword: true,
        body: z.object({ email: z.string(), password: z.string() }),
        answer: session.extend({
            user_id: z.string(),
            email: z.string(),
            name: textOrNull,
            tier: z.string(),
        }),
        async call({ body, services, context }) {
            const { user, session } = await services.identity.login(body, context);
            return { ...(user as User), ...(session as Session) }; // identity always returns both
        },
    }),

    endpoint({
        id: 'internal.auth.logout',
        summary: 'Log out',
        description: 'Ends the session that the access token or refresh token belongs to.',
        method: 'POST',
        path: '/internal/v1/auth/logout',
        access: 'internal',
        status: 200,
        message: 'Logged out',
        body: z.object({ token: z.string() }),
        answer: z.object({ logged_out_at: z.string() }),
        call: ({ body, services, context }) => services.identity.logout(body, context),
    }),

    endpoint({
        id: 'internal.auth.refresh',
        summary: 'Refresh a session',
        description: 'A refresh token works only once: keep the new one.',
        method: 'POST',
        path: '/internal/v1/auth/refresh',
        access: 'internal',
        status: 200,
        message: 'Session refreshed',
        body: z.object({ refresh_token: z.string().min(1, 'must not be empty') }),
        answer: session,
        call: ({ body, services, context }) => services.identity.refresh(body, context),
    }),

    endpoint({
        id: 'internal.auth.me',
        summary: 'Get the user of a session token',
        method: 'GET',
        path: '/internal/v1/auth/me',
        access: 'internal_session',
        status: 200,
        message: 'Current user',
        answer: z.object({ ...userFields, last_login_at: textOrNull }),
        // The engine has refused calls without a session token.
        call: ({ bearer, services, context }) => services.identity.introspect({ token: bearer ?? '' }, context),
    }),
];
