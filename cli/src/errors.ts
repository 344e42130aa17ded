import { getSystemErrorMap } from 'node:util';
import { AddressError, ApiError, ConnectionError } from '../../client/src/client.ts';

/** Exit codes of the program. `noReader` is what a shell shows for a program that SIGPIPE has ended. */
export const EXIT = { ok: 0, invalid: 1, usage: 2, service: 3, noReader: 141 } as const;

/** An error that the caller can correct. Its message is one sentence, or two: what is wrong, and what to do next. */
export class CliError extends Error {
    readonly exitCode: number;

    constructor(message: string, exitCode: number = EXIT.usage) {
        super(message);
        this.name = 'CliError';
        this.exitCode = exitCode;
    }
}

/** Converts whatever a command threw into what the caller reads and the exit code. */
export function asCliError(error: unknown): CliError {
    if (error instanceof CliError) return error;
    if (error instanceof ApiError) return new CliError(refusalText(error), EXIT.service);
    if (error instanceof ConnectionError) {
        const next = error.never_sent ? 'Is it running, and is --url right?' : 'Try again.';
        return new CliError(`${error.message} ${next}`, EXIT.service);
    }
    if (error instanceof AddressError) return new CliError(`${error.message} Correct --url.`, EXIT.service);
    const text = error instanceof Error ? error.message : String(error);
    return new CliError(`cred has an error of its own, please report it: ${text}`, EXIT.service);
}

/** Converts an error of the file system into a sentence. `what` names the file as the caller knows it. */
export function fileError(what: string, error: unknown, exitCode?: number): CliError {
    const { code = '', errno = 0 } = error as NodeJS.ErrnoException; // errors of node:fs have a code
    const reasons: Record<string, string> = {
        ENOENT: 'it does not exist',
        EACCES: 'it may not be opened',
        EISDIR: 'it is a folder',
        EEXIST: 'it exists already',
        ENOSPC: 'the disk is full',
    };
    // The message of the error would repeat the path, which may be a secret.
    const reason = reasons[code] ?? getSystemErrorMap().get(errno)?.[1] ?? code;
    return new CliError(`${what} cannot be used: ${reason}.`, exitCode);
}

function refusalText({ status, summary, detail, retry_after }: ApiError): string {
    const text = `The service refuses this: ${detail || summary}`;
    if (status === 401 && detail.startsWith('The session token is not')) {
        return `${text} This needs a session, and an API key is not enough: run "cred login EMAIL", and unset CRED_TOKEN.`;
    }
    // A wrong password, which is 401 too, is no reason to log in again.
    if (status === 401 && /session|API key/i.test(detail)) return `${text} Log in again with "cred login".`;
    // The text of a refusal by the rate limit says when to try again.
    if (status === 503 && retry_after !== undefined) return `${text} Try again in ${retry_after} s.`;
    return text;
}
