import cluster, { type Address } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import bs58 from 'bs58';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { PublicProtocol } from 'paseto';
import { ImportPublicKeyFactory, ImportSecretKeyFactory, SignFactory, VerifyFactory } from 'paseto/v4/public';
import pg from 'pg';

/**
 * A service that a developer could write in an afternoon: Express, the `paseto` package and a pool of pg, without
 * authentication, limits, log and metrics. It uses several processes as the documentation of Node shows it. The first
 * one receives a task over IPC.
 */

export interface NaiveTask {
    databaseUrl: string;
    processes: number;
}

const paseto = new PublicProtocol(ImportPublicKeyFactory, ImportSecretKeyFactory, SignFactory, VerifyFactory);

interface Issue {
    issuer_did: string;
    issuer_private_key: string;
    subject_did: string;
    credential_type: string;
    claims: Record<string, string>;
}

interface Verify {
    credential: string;
    issuer_did: string;
    check_revocation?: boolean;
}

function application(pool: pg.Pool): Express {
    const app = express();
    app.use(express.json());
    app.post('/v1/credentials', async (request: Request, response: Response) => {
        const data = await issued(pool, request.body as Issue); // not checked
        response.status(201).json({ status: 'success', message: 'Credential issued', data });
    });
    app.post('/v1/credentials/verify', async (request: Request, response: Response) => {
        const data = await verified(pool, request.body as Verify); // not checked
        response.json({ status: 'success', message: 'Credential checked', data });
    });
    app.use((error: Error, _request: Request, response: Response, _next: NextFunction) => {
        response.status(400).json({ status: 'error', message: 'Failed', error: error.message });
    });
    return app;
}

async function issued(pool: pg.Pool, request: Issue) {
    const { issuer_did, issuer_private_key, subject_did, credential_type, claims } = request;
    const key = await paseto.ImportSecretKey(`k4.secret.${urlForm(issuer_private_key)}`);
    const id = randomUUID();
    const credentialId = `urn:uuid:${id}`;
    const issuedAt = new Date().toISOString();
    const payload = { jti: credentialId, iss: issuer_did, sub: subject_did, iat: issuedAt, credential_type, claims };
    const credential = await paseto.Sign(key, payload, { nonExpiring: true });
    await pool.query({
        name: 'insert',
        text: `INSERT INTO credentials.credentials (id, issued_at, issuer, subject, credential_type)
               VALUES ($1, $2, $3, $4, $5)`,
        values: [id, issuedAt, issuer_did, subject_did, credential_type],
    });
    return {
        credential_id: credentialId,
        credential,
        issuer: issuer_did,
        subject: subject_did,
        credential_type,
        issued_at: issuedAt,
    };
}

async function verified(pool: pg.Pool, { credential, issuer_did, check_revocation = false }: Verify) {
    const publicKey = Buffer.from(bs58.decode(issuer_did.slice('did:key:z'.length))).subarray(2);
    const key = await paseto.ImportPublicKey(`k4.public.${publicKey.toString('base64url')}`);
    const { claims: payload } = await paseto.Verify(key, credential, { allowNonExpiring: true });
    const { jti = '', iss: issuer, sub: subject, iat: issuedAt, credential_type, claims } = payload;
    let revoked = false;
    if (check_revocation) {
        const { rows } = await pool.query<{ revoked_at: Date | null }>({
            name: 'find',
            text: 'SELECT revoked_at FROM credentials.credentials WHERE id = $1',
            values: [jti.slice('urn:uuid:'.length)],
        });
        revoked = (rows[0]?.revoked_at ?? null) !== null;
    }
    return { valid: !revoked, issuer, subject, credential_type, claims, issued_at: issuedAt, revoked, expired: false };
}

function urlForm(base64: string): string {
    return Buffer.from(base64, 'base64').toString('base64url');
}

/** The port that the processes share, and the processes. */
export interface NaiveAnswer {
    port: number;
    pids: number[];
}

/** Connections to PostgreSQL that up to 40 processes share. PostgreSQL accepts 100, and the service needs some. */
const MOST_CONNECTIONS = 40;

/** Starts the processes, and answers when all of them listen. */
async function startProcesses({ databaseUrl, processes }: NaiveTask): Promise<void> {
    const connections = Math.max(1, Math.floor(MOST_CONNECTIONS / processes)); // a pool of 0 would be one of 10
    const env = { DATABASE_URL: databaseUrl, CONNECTIONS: String(connections) };
    const workers = Array.from({ length: processes }, () => cluster.fork(env));
    const addresses = await Promise.all(workers.map((worker) => once(worker, 'listening') as Promise<[Address]>));
    const [[{ port }]] = addresses as [[Address]]; // there is at least one
    process.send?.({ port, pids: workers.map((worker) => worker.process.pid) } as NaiveAnswer);
}

if (cluster.isPrimary) {
    process.once('message', startProcesses);
} else {
    const { DATABASE_URL: connectionString, CONNECTIONS } = process.env;
    const pool = new pg.Pool({ connectionString, max: Math.min(10, Number(CONNECTIONS)) });
    application(pool).listen(0, '127.0.0.1');
}
