import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type CallbackContext, clientAuthenticationAnonymous, type Jwk, type SignJwtCallback } from '@openid4vc/oauth2';
import { Openid4vciClient } from '@openid4vc/openid4vci';

/** The steps of the protocol as `@openid4vc/openid4vci` takes them. It checks the protocol, not the credentials. */
interface PlainTaken {
    credentials: string[];
    accessToken: string;
    tokenType: string;
}

const unused = (what: string) => () => {
    throw new Error(`This wallet does not ${what}.`);
};

/** Takes an offer with a new key of P-256. `dpop`: the access token is bound to a key, too (RFC 9449). */
export async function takePlainly(
    link: string,
    { txCode, dpop = false }: { txCode?: string; dpop?: boolean } = {},
): Promise<PlainTaken> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const publicJwk = publicKey.export({ format: 'jwk' }) as Jwk;
    const signer = { method: 'jwk', alg: 'ES256', publicJwk } as const;
    const client = new Openid4vciClient({ callbacks: callbacks(privateKey) });
    const credentialOffer = await client.resolveCredentialOffer(link);
    const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer);
    const { accessTokenResponse, dpop: bound } = await client.retrievePreAuthorizedCodeAccessTokenFromOffer({
        credentialOffer,
        issuerMetadata,
        ...(txCode !== undefined && { txCode }),
        ...(dpop && { dpop: { signer } }),
    });
    const { access_token: accessToken, token_type: tokenType } = accessTokenResponse;
    const [credentialConfigurationId = ''] = credentialOffer.credential_configuration_ids;
    const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata });
    const { jwt } = await client.createCredentialRequestJwtProof({
        issuerMetadata,
        credentialConfigurationId,
        signer,
        nonce,
    });
    const shared = { issuerMetadata, accessToken, ...(bound && { dpop: bound }) };
    const { credentialResponse } = await client.retrieveCredentials({
        ...shared,
        credentialConfigurationId,
        proofs: { jwt: [jwt] },
    });
    const { credentials = [], notification_id: notificationId } = credentialResponse;
    if (notificationId !== undefined) {
        await client.sendNotification({ ...shared, notification: { notificationId, event: 'credential_accepted' } });
    }
    const texts = credentials.map((item) => (typeof item === 'string' ? item : String(item.credential)));
    return { credentials: texts, accessToken, tokenType };
}

function callbacks(
    privateKey: KeyObject,
): Omit<CallbackContext, 'decryptJwe' | 'encryptJwe' | 'verifyJwt'> & CallbackContext {
    const signJwt: SignJwtCallback = (signer, { header, payload }) => {
        const input = [header, payload]
            .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
            .join('.');
        const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
        const signerJwk = 'publicJwk' in signer ? signer.publicJwk : {};
        return { jwt: `${input}.${signature.toString('base64url')}`, signerJwk: signerJwk as Jwk };
    };
    return {
        signJwt,
        hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
        generateRandom: (length) => randomBytes(length),
        clientAuthentication: clientAuthenticationAnonymous(),
        verifyJwt: unused('verify what others sign'),
        decryptJwe: unused('decrypt'),
        encryptJwe: unused('encrypt'),
    };
}
