import { ConnectionError, connectionError } from './errors.ts';
import { timeLimit } from './time-limit.ts';

/**
 * Yields what the lines of an answer say, as they come. The time limit is that of each wait for the service. Throws a
 * ConnectionError if the answer breaks off. If the caller stops reading, the connection is closed.
 */
export async function* linesOf(
    { body }: Response,
    { timeout_ms, signal }: { timeout_ms: number; signal: AbortSignal | undefined },
): AsyncGenerator<unknown, void> {
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) return;
    try {
        let rest = '';
        for (;;) {
            const { done, value } = await within(reader.read(), timeout_ms, signal);
            if (done) break;
            const lines = `${rest}${value}`.split('\n');
            rest = lines.pop() ?? '';
            for (const line of lines) yield parsed(line);
        }
        if (rest !== '') yield parsed(rest);
    } finally {
        await reader.cancel().catch(() => undefined); // this closes the connection, if it still exists
    }
}

async function within<Result>(
    read: Promise<Result>,
    timeoutMs: number,
    givenUp: AbortSignal | undefined,
): Promise<Result> {
    const { signal, close } = timeLimit(timeoutMs, givenUp);
    const over = new Promise<never>((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
        return await Promise.race([read, over]);
    } catch (error) {
        throw signal.aborted ? signal.reason : connectionError(error);
    } finally {
        close();
    }
}

function parsed(line: string): unknown {
    try {
        return JSON.parse(line);
    } catch {
        throw new ConnectionError('The answer has a line that is not JSON.', { never_sent: false });
    }
}
