import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from './target.ts';

/** Opens a connection and ignores its errors: an attack continues after them. */
export async function dial({ host, port }: Pick<Target, 'host' | 'port'>): Promise<Socket> {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket.on('error', () => {});
    await once(socket, 'connect').catch(() => {});
    return socket;
}

/** The text of a request; `headers` are lines. Host is added. */
export function request(start: string, headers: readonly string[] = [], body = ''): string {
    return `${[`${start} HTTP/1.1`, 'Host: test', ...headers].join('\r\n')}\r\n\r\n${body}`;
}

/** A request with a JSON body and its length. */
export function post(path: string, headers: readonly string[], body: string): string {
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    return request(`POST ${path}`, ['Content-Type: application/json', length, ...headers], body);
}

/** Resolves when the other side has closed the connection, or after `timeoutMs`. */
export async function closed(socket: Socket, timeoutMs: number): Promise<void> {
    socket.resume();
    if (socket.destroyed || socket.readableEnded) return;
    const aborter = new AbortController();
    const ended = once(socket, 'close', aborter).catch(() => {});
    await Promise.race([ended, once(socket, 'end', aborter).catch(() => {}), delay(timeoutMs, undefined, aborter)]);
    aborter.abort();
}

/** Opens `count` connections, a hundred at a time. */
export async function dialAll(target: Pick<Target, 'host' | 'port'>, count: number): Promise<Socket[]> {
    const sockets: Socket[] = [];
    await repeat(count, 100, async () => sockets.push(await dial(target)));
    return sockets;
}

/** Sends `text`. Returns the status of the next answer, or undefined if none comes within 30 s. */
export async function answered(socket: Socket, text: string | Buffer): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let answer = '';
    const take = (chunk: Buffer): void => {
        answer += chunk.toString('latin1');
        if (answer.includes('\r\n\r\n')) resolve();
    };
    socket.on('data', take).once('end', resolve).once('close', resolve);
    const timer = setTimeout(resolve, 30_000);
    socket.write(text);
    await promise;
    clearTimeout(timer);
    socket.off('data', take).off('end', resolve).off('close', resolve);
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1];
    return status === undefined ? undefined : Number(status);
}

/** Sends `text` on a new connection. Returns the same as answered(). */
export async function statusOf(
    target: Pick<Target, 'host' | 'port'>,
    text: string | Buffer,
): Promise<number | undefined> {
    const socket = await dial(target);
    const status = await answered(socket, text);
    socket.destroy();
    return status;
}

/** Calls `run` `count` times, at most `atOnce` calls at a time. */
export async function repeat(count: number, atOnce: number, run: (index: number) => Promise<unknown>): Promise<void> {
    let next = 0;
    const lane = async () => {
        while (next < count) await run(next++);
    };
    await Promise.all(Array.from({ length: Math.min(count, atOnce) }, lane));
}
