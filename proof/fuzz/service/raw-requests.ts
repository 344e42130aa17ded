import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { EndpointId } from '../../../gateway/endpoints/index.ts';
import { GATEWAYS, INTERNAL_SECRET } from '../../../test/e2e/support/client.ts';
import { exampleCall } from '../../../test/e2e/support/examples.ts';
import { type SocketAnswer, takeAnswer } from '../../../test/e2e/support/socket.ts';
import { mutated } from '../mutator.ts';
import type { Random } from '../random.ts';

/** Bytes for a connection, and how they are sent. */
interface Delivery {
    pieces: Buffer[];
    /** What the client does after the last piece. */
    ending: 'wait' | 'half-close' | 'reset';
}

/** Endpoints that together read every part of a request: parameters, queries, bodies, both kinds of credentials. */
const EXAMPLES: readonly EndpointId[] = [
    ...(['credentials.issue', 'credentials.verify', 'credentials.by_issuer', 'wallets.list_credentials'] as const),
    ...([
        'wallets.add_credential',
        'me.get',
        'keys.generate',
        'internal.auth.register',
        'internal.admin.stats',
    ] as const),
    ...(['presentations.verify', 'internal.auth.login', 'internal.health'] as const),
];
const DICTIONARY = [
    ...[
        '\r\n',
        '\r\n\r\n',
        '\n',
        ' HTTP/1.1\r\n',
        ' HTTP/1.0\r\n',
        ' HTTP/2.0\r\n',
        'GET ',
        'CONNECT x:1',
        'OPTIONS * ',
        'TRACE ',
    ],
    ...[
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        '\x16\x03\x01\x00\xa5\x01\x00',
        'Host: x\r\n',
        'Host: a, b\r\n',
        'Content-Length: 5\r\n',
    ],
    ...[
        'Content-Length: -1\r\n',
        'Content-Length: 99999999999\r\n',
        'Transfer-Encoding: chunked\r\n',
        'Transfer-Encoding: gzip\r\n',
    ],
    ...[
        'Expect: 100-continue\r\n',
        'Expect: x\r\n',
        'Upgrade: websocket\r\nConnection: Upgrade\r\n',
        'Connection: close\r\n',
    ],
    ...[
        'Connection: keep-alive\r\n',
        'TE: trailers\r\n',
        'Trailer: Host\r\n',
        'Content-Encoding: gzip\r\n',
        '0\r\n\r\n',
        'ffffffff\r\n',
    ],
    ...['5;a=b\r\n', 'http://x/', '/openapi.json', '/docs', '/../', '%00', '?', '#', '\0', '\x80', 'X: ', ': ', '\t'],
];
const MAX_BYTES = 64 << 10;
/** Silence after which the client closes the connection, in milliseconds. An incomplete request gets no answer. */
const SILENCE_MS = 400;

/** Good requests, as bytes. */
export async function requestSeeds(): Promise<Buffer[]> {
    const calls = await Promise.all(EXAMPLES.map(exampleCall));
    return calls.flatMap(({ method = 'GET', path, token, internal, body, headers }) => {
        const text = body === undefined ? '' : JSON.stringify(body);
        const lines = [
            `${method} ${path} HTTP/1.1`,
            'Host: fuzz',
            ...Object.entries(headers ?? {}).map((field) => field.join(': ')),
        ];
        if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
        if (internal) lines.push(`X-Internal-Secret: ${INTERNAL_SECRET}`);
        if (text === '') return [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)];
        const head = `${lines.join('\r\n')}\r\nContent-Type: application/json\r\n`;
        const size = Buffer.byteLength(text);
        return [
            Buffer.from(`${head}Content-Length: ${size}\r\n\r\n${text}`),
            Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${text}\r\n0\r\n\r\n`),
        ];
    });
}

/** One to four requests, some of them good, cut into pieces at random places. */
export function someDelivery(seeds: readonly Buffer[], random: Random): Delivery {
    const requests = Array.from({ length: random.oneIn(3) ? 1 + random.below(4) : 1 }, () => {
        const [seed, other] = [random.pick(seeds), random.pick(seeds)];
        if (!seed || !other) throw new RangeError('There are no seeds.');
        return random.oneIn(10) ? seed : mutated(seed, other, { random, dictionary: DICTIONARY, maxBytes: MAX_BYTES });
    });
    let rest = Buffer.concat(requests);
    const pieces = [];
    for (let cuts = random.below(4); cuts > 0; cuts--) {
        const at = random.below(rest.length + 1);
        pieces.push(rest.subarray(0, at));
        rest = rest.subarray(at);
    }
    const ending = random.pick(['wait', 'wait', 'half-close', 'reset'] as const);
    return { pieces: [...pieces, rest], ending };
}

/** Sends the pieces. Returns every complete answer. */
export async function deliver({ pieces, ending }: Delivery, gateway: number): Promise<SocketAnswer[]> {
    const { hostname, port } = new URL(GATEWAYS[gateway] as string); // there are two gateways
    // Refusals count against this part's own address.
    const socket = connect({ host: hostname, port: Number(port), localAddress: '127.78.0.1', noDelay: true });
    const chunks: Buffer[] = [];
    let lastAt = performance.now();
    let isClosed = false;
    socket.on('data', (chunk) => {
        chunks.push(chunk);
        lastAt = performance.now();
    });
    socket.on('error', () => {}); // the server may reset the connection
    socket.on('close', () => {
        isClosed = true;
    });
    for (const piece of pieces) {
        if (!socket.destroyed) socket.write(piece);
        await delay(1);
    }
    lastAt = performance.now();
    if (ending === 'reset') socket.resetAndDestroy();
    if (ending === 'half-close') socket.end();
    while (!isClosed && performance.now() - lastAt < SILENCE_MS) await delay(5);
    socket.destroy();
    return answersIn(Buffer.concat(chunks));
}

function answersIn(bytes: Buffer): SocketAnswer[] {
    const answers = [];
    for (let taken = takeAnswer(bytes); taken; taken = takeAnswer(taken.rest)) answers.push(taken.answer);
    return answers;
}

/**
 * Checks that no answer is a 5xx except the documented 503, that refusals use the envelope, and that none reveals
 * internals.
 */
export function checkAnswers(answers: readonly SocketAnswer[], pieces: readonly Buffer[]): void {
    const sent = Buffer.concat(pieces).toString('latin1');
    for (const { status, headers, body } of answers) {
        assert.ok(status < 500 || (status === 503 && headers['retry-after']), `${status}: ${body.slice(0, 500)}`);
        assert.doesNotMatch(body.slice(0, 10_000), /\bat .*\.(ts|js):\d|node_modules|SELECT |INSERT /);
        // An answer to HEAD has a length and no body, so takeAnswer read the bytes after it as its body.
        if (status < 400 || /HEAD/i.test(sent)) continue;
        assert.equal(headers['content-type'], 'application/json; charset=utf-8', `${status}: ${body.slice(0, 200)}`);
        assert.ok(headers['x-request-id'] && headers['x-ratelimit-limit']);
        assert.deepEqual(Object.keys(JSON.parse(body)), ['status', 'message', 'error']);
    }
}
