import { reasonOf, StartError } from './start-error.ts';

/**
 * The only line about a start that has failed, as JSON in the form of the log. It goes to standard error, because the
 * log itself may be what fails. A stack helps only with a defect of the program, which no step expects.
 */
export function fatalLine(error: unknown, service: string): string {
    return JSON.stringify({
        level: 60, // fatal, as pino writes it
        time: new Date().toISOString(),
        service,
        pid: process.pid,
        step: error instanceof StartError ? error.step : 'settings',
        msg: `The start has failed. ${reasonOf(error)}`,
        ...stackOf(error),
    });
}

function stackOf(error: unknown): { stack?: string | undefined } {
    const cause = error instanceof StartError ? error.cause : error;
    const isDefect = cause instanceof TypeError || cause instanceof ReferenceError;
    return isDefect && !('code' in cause) ? { stack: cause.stack } : {};
}
