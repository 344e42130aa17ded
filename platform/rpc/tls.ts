import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';

/** PEM texts. With `ca`, both sides of a connection must present a certificate that it has signed. */
export interface Tls {
    cert: string;
    key: string;
    ca: string | undefined;
}

/** What a server presents and asks for; without `tls`, nothing. */
export function serverCredentials(tls: Tls | undefined): ServerCredentials {
    if (!tls) return ServerCredentials.createInsecure();
    const { cert, key, ca } = tls;
    const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
    return ServerCredentials.createSsl(ca === undefined ? null : Buffer.from(ca), [pair], ca !== undefined);
}

/** What a client presents and asks for: the server's certificate must be for its address, and signed by `ca` or a public one. */
export function channelCredentials(tls: Tls | undefined): ChannelCredentials {
    if (!tls) return ChannelCredentials.createInsecure();
    if (tls.ca === undefined) return ChannelCredentials.createSsl();
    return ChannelCredentials.createSsl(Buffer.from(tls.ca), Buffer.from(tls.key), Buffer.from(tls.cert));
}
