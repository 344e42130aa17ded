import { z } from 'zod';
import type { Endpoint } from '../../gateway/endpoint.ts';
import { INTERNAL_SECRET } from '../../test/e2e/support/client.ts';
import { open, requestText } from '../../test/e2e/support/socket.ts';
import type { Canaries } from './canary.ts';
import type { Person } from './good-calls.ts';

const TOO_LONG_BODY = 1_100_000;
const TOO_LONG_HEADER = 20_000;
/** How long the client waits for an answer where none need come, in milliseconds. */
const NO_ANSWER_MS = 200;

interface BadCall {
    what: string;
    data: string | Buffer;
    /** Whether the connection ends without waiting for an answer. */
    cut?: true;
}

/** Sends each bad call on a connection of its own, and gives the answers of refusals. */
export async function sendAll(calls: readonly BadCall[]): Promise<string[]> {
    const refusals: string[] = [];
    for (let first = 0; first < calls.length; first += 16) {
        const answers = await Promise.all(calls.slice(first, first + 16).map(sendOne));
        refusals.push(...answers.flat());
    }
    return refusals;
}

async function sendOne({ data, cut }: BadCall, index: number): Promise<string[]> {
    const connection = open(index % 2);
    connection.write(data);
    try {
        if (cut) {
            await connection.closed(NO_ANSWER_MS).catch(() => {}); // the client goes away first
            return [];
        }
        const answer = await connection.next();
        return answer && answer.status >= 400 ? [JSON.stringify(answer.headers) + answer.body] : [];
    } finally {
        connection.destroy();
    }
}

/** What may be wrong with a request to an endpoint, with a canary in each place where a secret may be put by mistake. */
export function badCalls(endpoint: Endpoint, person: Person, canaries: Canaries): BadCall[] {
    const { id, method, path } = endpoint;
    const canary = (where: string): string => canaries.text(`${where} of ${id}`);
    const target = path.replaceAll(/\{\w+\}/g, () => canary('path'));
    const known = path.replaceAll(/\{\w+\}/g, 'x');
    const own = credentialFor(endpoint, person);
    const length = (body: string | Buffer): string => `Content-Length: ${Buffer.byteLength(body)}`;
    const json = (body: string): string =>
        requestText(`${method} ${known}`, [...own, 'Content-Type: application/json', length(body)], body);
    const typed = (type: string, body: string): string =>
        requestText(`${method} ${known}`, [...own, `Content-Type: ${type}`, length(body)], body);
    const fields = () => Object.fromEntries(fieldsOf(endpoint.body).map((name) => [name, canary(`field ${name}`)]));
    const whole = JSON.stringify(fields());
    const utf16 = Buffer.from(JSON.stringify(fields()), 'utf16le');
    const head = requestText(`${method} ${known}`, [...own, 'Content-Type: application/json', length(whole)]);
    return [
        { what: 'path', data: requestText(`${method} ${target}`, own) },
        { what: 'path without a credential', data: requestText(`${method} ${target}`) },
        { what: 'longer path', data: requestText(`${method} ${target}/${canary('rest of the path')}`, own) },
        { what: 'path with escapes that are none', data: requestText(`${method} ${known}/%ZZ${canary('path')}`, own) },
        { what: 'query', data: requestText(`${method} ${known}?password=${canary('query')}&limit=0`, own) },
        { what: 'name in the query', data: requestText(`${method} ${known}?${canary('query')}=1`, own) },
        { what: 'fragment', data: requestText(`${method} ${known}#${canary('fragment')}`, own) },
        { what: 'fields that are only text', data: json(JSON.stringify(fields())) },
        { what: 'names of fields', data: json(JSON.stringify({ [canary('name')]: { [canary('name')]: 1 } })) },
        { what: 'a list', data: json(JSON.stringify([fields(), canary('list')])) },
        {
            what: 'the same name twice',
            data: json(`{"password":"${canary('field')}","password":"${canary('field')}"}`),
        },
        { what: 'JSON that is cut off', data: json(JSON.stringify(fields()).slice(0, -1)) },
        { what: 'no JSON', data: json(canary('body')) },
        { what: 'no UTF-8', data: Buffer.concat([Buffer.from(json(`{"a":"${canary('body')}`)), Buffer.of(0xff)]) },
        { what: 'a form', data: typed('application/x-www-form-urlencoded', `password=${canary('form')}`) },
        { what: 'text', data: typed('text/plain', canary('text body')) },
        { what: 'parts', data: typed('multipart/form-data; boundary=x', `--x\r\n\r\n${canary('part')}\r\n--x--`) },
        { what: 'a type', data: typed(`application/${canary('media type')}`, '{}') },
        { what: 'UTF-16', data: Buffer.concat([Buffer.from(typed('application/json; charset=utf-16', '')), utf16]) },
        {
            what: 'a coding',
            data: requestText(`${method} ${known}`, [...own, `Content-Encoding: ${canary('coding')}`]),
        },
        { what: 'another method', data: requestText(`PROPFIND ${target}`, [...own, length(whole)], whole) },
        { what: 'an unknown method', data: requestText(`${canary('method')} ${known}`, own) },
        {
            what: 'too long a field',
            data: json(JSON.stringify({ a: canary('long field').repeat(TOO_LONG_BODY / 24) })),
        },
        { what: 'too long a header', data: requestText(`${method} ${known}`, [`A: ${longText(canary('header'))}`]) },
        { what: 'too long a path', data: requestText(`${method} /${longText(canary('path'))}`, own) },
        { what: 'cut in the headers', data: head.slice(0, -2) + canary('header'), cut: true },
        { what: 'cut in the body', data: head + whole.slice(0, -10), cut: true },
        ...headersWith(canary).map((line) => ({
            what: line,
            data: requestText(`${method} ${known}`, line.startsWith('Authorization') ? [line] : [...own, line]),
        })),
    ];
}

function longText(text: string): string {
    return text.repeat(TOO_LONG_HEADER / text.length);
}

/** Lines of a header in which secrets travel, rightly or wrongly. */
function headersWith(canary: (where: string) => string): string[] {
    const basic = Buffer.from(`ada:${canary('Basic password')}`).toString('base64');
    const jwt = ['{"alg":"EdDSA","kid":"x"}', JSON.stringify({ jti: canary('JWT') }), canary('JWT')];
    return [
        `Authorization: Bearer ${canary('bearer token')}`,
        `Authorization: Bearer cred_test_${canary('API key')}12345678`,
        `Authorization: Bearer ${jwt.map((part) => Buffer.from(part).toString('base64url')).join('.')}`,
        `Authorization: Basic ${basic}`,
        `Authorization: ${canary('scheme')} ${canary('token without a scheme')}`,
        `X-Internal-Secret: ${canary('internal secret')}`,
        `X-Wallet-Password: ${canary('X-Wallet-Password')}`,
        `X-On-Behalf-Of: ${canary('X-On-Behalf-Of')}`,
        `X-Client-Address: ${canary('X-Client-Address')}`,
        `X-Forwarded-For: ${canary('X-Forwarded-For')}`,
        `X-Request-Id: ${canary('X-Request-Id')} ${canary('X-Request-Id')}`,
        `Cookie: session=${canary('cookie')}`,
        `Origin: https://${canary('origin')}.example`,
        `traceparent: 00-${canary('traceparent')}-00f067aa0ba902b7-01`,
        `tracestate: a=${canary('tracestate')}`,
        `Expect: ${canary('Expect')}`,
        `${canary('name of a header')}: ${canary('header')}`,
        `Host: ${canary('host')}.example`,
        `Transfer-Encoding: ${canary('transfer coding')}`,
    ];
}

/** What is no HTTP, or no request that is served here. */
export function strangeCalls(canaries: Canaries): BadCall[] {
    const canary = (where: string): string => canaries.text(where);
    return [
        { what: 'no HTTP', data: `${canary('first line')}\r\n\r\n` },
        { what: 'another protocol', data: `GET /${canary('path')} HTTP/2.0\r\n\r\n` },
        { what: 'TLS', data: Buffer.concat([Buffer.of(22, 3, 1, 2, 0, 1, 0), Buffer.from(canary('TLS hello'))]) },
        { what: 'a tunnel', data: `CONNECT ${canary('tunnel')}:1 HTTP/1.1\r\nHost: x\r\n\r\n` },
        { what: 'an upgrade', data: requestText(`GET /${canary('path')}`, ['Connection: Upgrade', 'Upgrade: h2c']) },
        { what: 'a chunk', data: requestText('POST /v1/did', ['Transfer-Encoding: chunked'], `zz${canary('chunk')}`) },
        { what: 'another host', data: `GET http://ada:${canary('user info')}@x/v1/me HTTP/1.1\r\nHost: x\r\n\r\n` },
    ];
}

function credentialFor({ access }: Endpoint, { session, api_key }: Person): string[] {
    if (access === 'internal' || access === 'internal_session') return [`X-Internal-Secret: ${INTERNAL_SECRET}`];
    return [`Authorization: Bearer ${access === 'bearer' ? api_key : session}`];
}

function fieldsOf(schema: z.ZodType | undefined): string[] {
    return ['password', ...(schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])];
}
