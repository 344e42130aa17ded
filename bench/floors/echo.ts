import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { z } from 'zod';

/** A process with a bare Express server. It shows what HTTP alone costs for given bodies. */

export interface EchoPlan {
    /** An example of the request bodies. The server checks that every body has its shape. */
    body: unknown;
    /** The answer to every request: the status, header fields and body of an answer of the service. */
    status: number;
    headers: Record<string, string>;
    answer: unknown;
}

process.once('message', ({ body, status, headers, answer }: EchoPlan) => {
    const schema = schemaOf(body);
    const app = express();
    app.set('query parser', false);
    app.set('etag', false);
    app.set('x-powered-by', false);
    app.all('/*path', async (request: Request, response: Response) => {
        const text = await textOf(request);
        if (text !== '') schema.parse(JSON.parse(text));
        writeAnswer(response, status, headers, answer);
    });
    const server = createServer(app).listen(0, '127.0.0.1', () => {
        process.send?.((server.address() as AddressInfo).port); // it listens on TCP
    });
});

/** Returns a schema that accepts all values of the same shape as this one. */
function schemaOf(value: unknown): z.ZodType {
    if (Array.isArray(value)) return z.array(schemaOf(value[0]));
    if (typeof value === 'string') return z.string();
    if (typeof value === 'number') return z.number();
    if (typeof value === 'boolean') return z.boolean();
    const members = Object.entries(value ?? {}).map(([name, member]) => [name, schemaOf(member)]);
    return z.object(Object.fromEntries(members));
}

function textOf(request: IncomingMessage): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
    return promise;
}

function writeAnswer(response: ServerResponse, status: number, headers: Record<string, string>, answer: unknown): void {
    const text = JSON.stringify(answer);
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
    response.end(text);
}
