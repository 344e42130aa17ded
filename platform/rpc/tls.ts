import { X509Certificate } from 'node:crypto';
import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';
import { type Config, ConfigError } from '../process/config.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/**
 * PEM texts. With `ca`, the server's certificate must be signed by it. The client's certificate must be, too, unless
 * `mutual` is false.
 */
export interface Tls {
    cert: string;
    key: string;
    ca: string | undefined;
    /** True if servers request client certificates, which is the default. */
    mutual?: boolean;
}

/**
 * Returns the TLS settings, if there are any. Throws ConfigError in production if there are none and clear text is not
 * allowed.
 */
export function tlsOf(config: Config): Tls | undefined {
    const { GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key, GRPC_TLS_CA: ca, GRPC_TLS_MUTUAL: mutual } = config;
    if (cert === undefined || key === undefined) {
        // loadConfig requires both or none.
        if (config.NODE_ENV === 'production' && config.GRPC_CLEARTEXT === 'refuse') {
            throw new ConfigError(
                'gRPC carries tokens and passwords: in production set GRPC_TLS_CERT and GRPC_TLS_KEY, or set ' +
                    'GRPC_CLEARTEXT=allow if nobody else shares the network.',
            );
        }
        return undefined;
    }
    return { cert, key, ca, mutual: mutual === '1' };
}

/** Returns the credentials of a server: what it presents, and what it requires of clients. Clear text without `tls`. */
export function serverCredentials(tls: Tls | undefined): ServerCredentials {
    if (!tls) return ServerCredentials.createInsecure();
    const { cert, key, ca, mutual = true } = tls;
    const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
    return ServerCredentials.createSsl(ca === undefined ? null : Buffer.from(ca), [pair], ca !== undefined && mutual);
}

/**
 * Returns the credentials of a client. The server's certificate must be for its address, and must be signed by `ca` or,
 * without `ca`, by a public authority.
 */
export function channelCredentials(tls: Tls | undefined): ChannelCredentials {
    if (!tls) return ChannelCredentials.createInsecure();
    if (tls.ca === undefined) return ChannelCredentials.createSsl();
    return ChannelCredentials.createSsl(Buffer.from(tls.ca), Buffer.from(tls.key), Buffer.from(tls.cert));
}

/** Exports the expiry of the certificates that this process has read. It reads newer files only at its next start. */
export function exposeExpiry(metrics: Metrics, { cert, ca }: Tls): void {
    const collect = [{ labels: { certificate: 'own' }, value: firstExpiry(cert) }];
    if (ca !== undefined) collect.push({ labels: { certificate: 'authority' }, value: firstExpiry(ca) });
    metrics.collect(
        {
            type: 'gauge',
            name: 'tls_certificate_expiry_timestamp_seconds',
            help: 'Expiry of the gRPC certificate and of its authority. If a file has several certificates, the earliest expiry.',
            labels: ['certificate'],
        },
        () => collect,
    );
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Returns the earliest expiry of the certificates in a file, in seconds since 1970. */
function firstExpiry(pem: string): number {
    const certificates = Array.from(pem.matchAll(CERTIFICATE), ([text]) => new X509Certificate(text));
    return Math.min(...certificates.map(({ validToDate }) => validToDate.getTime())) / 1_000;
}
