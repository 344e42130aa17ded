import { z } from 'zod';
import { callersSetting, serviceTokensSetting } from './caller-settings.ts';
import { notes, whole } from './setting-notes.ts';

const MADE_BY_LAUNCHER = 'generated once by the launchers';

const secret = z.string().min(1).optional();

/** The settings of secrets, of TLS and of session tokens. */
export const SECRET_SETTINGS = {
    INTERNAL_SECRET: secret.meta(
        notes('Secrets and TLS', 'The `X-Internal-Secret` of trusted callers.', {
            secret: true,
            default: MADE_BY_LAUNCHER,
        }),
    ),
    INTERNAL_SECRET_PREVIOUS: secret.meta(
        notes('Secrets and TLS', 'A second `X-Internal-Secret` that is accepted while the secret is rotated.', {
            secret: true,
        }),
    ),
    SERVICE_TOKEN: serviceTokensSetting.meta(
        notes(
            'Secrets and TLS',
            'Token that the processes of this service send to each other. It permits every gRPC method. Separate several tokens by commas: a process sends the first and accepts all.',
            { secret: true, default: MADE_BY_LAUNCHER },
        ),
    ),
    SERVICE_CALLERS: callersSetting.meta(
        notes(
            'Secrets and TLS',
            'JSON: the external services that may call gRPC, and their methods ([gRPC guide](../grpc.md)).',
            { secret: true },
        ),
    ),
    GRPC_TLS_CERT: secret.meta(notes('Secrets and TLS', 'PEM certificate of this process for gRPC.', { secret: true })),
    GRPC_TLS_KEY: secret.meta(notes('Secrets and TLS', 'PEM private key of `GRPC_TLS_CERT`.', { secret: true })),
    GRPC_TLS_CA: secret.meta(
        notes(
            'Secrets and TLS',
            'PEM certificate authority. If set, both sides of gRPC must present certificates that it has signed.',
            {
                secret: true,
            },
        ),
    ),
    GRPC_TLS_MUTUAL: z
        .enum(['0', '1'])
        .default('1')
        .meta(notes('Secrets and TLS', '`0`: even with `GRPC_TLS_CA`, only servers must present a certificate.')),
    GRPC_CLEARTEXT: z
        .enum(['refuse', 'allow'])
        .default('refuse')
        .meta(
            notes(
                'Secrets and TLS',
                '`allow`: production accepts gRPC without TLS. Use it only on a network that nobody else shares.',
            ),
        ),
    JWT_KEYS: secret.meta(
        notes(
            'Secrets and TLS',
            'Ed25519 keys of session tokens (PKCS#8 PEM, one after another). The first key signs, and all keys verify.',
            { secret: true, default: MADE_BY_LAUNCHER },
        ),
    ),
    IDEMPOTENCY_PEPPER: secret.meta(
        notes(
            'Secrets and TLS',
            'Secret from which the stored traces of an `Idempotency-Key`, of an offer and of an unknown email are derived. All services that create something need the same one.',
            { secret: true, default: MADE_BY_LAUNCHER },
        ),
    ),
    ACCESS_TOKEN_SECONDS: whole(1, 86_400)
        .default(12 * 3_600)
        .meta(notes('Secrets and TLS', 'Lifetime of an access token, in seconds.')),
    REFRESH_TOKEN_SECONDS: whole(1, 90 * 86_400)
        .default(30 * 86_400)
        .meta(notes('Secrets and TLS', 'Lifetime of a refresh token, in seconds.')),
};
