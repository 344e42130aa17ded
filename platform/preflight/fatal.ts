import { ConfigError } from '../process/config.ts';
import { reasonOf, StartError } from '../start-error.ts';

/**
 * The only line about a start that has failed, as JSON in the form of the log. It goes to standard error, because the
 * log itself may be what fails. A stack helps only with a defect of the program, which no step expects.
 */
function fatalLine(error: unknown, service: string): string {
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

/**
 * Runs a start. Any error that it throws, or that no code catches meanwhile, ends the process with one line on standard
 * error. `rewrap` is a command for a person, who gets only the reason.
 */
export async function startOrEnd<Result>(asked: readonly string[], start: () => Promise<Result>): Promise<Result> {
    const fail = (error: unknown): never => {
        console.error(asked[0] === 'rewrap' ? reasonOf(error) : fatalLine(error, asked.join('+')));
        process.exit(1);
    };
    const onUncaught = (error: unknown): never => fail(new StartError('start', reasonOf(error), { cause: error }));
    process.on('uncaughtException', onUncaught);
    try {
        return await start();
    } catch (error) {
        return fail(error);
    } finally {
        process.off('uncaughtException', onUncaught);
    }
}

/** Runs one step of a start. Whatever it throws names the step. */
export async function inStep<Result>(step: string, work: () => Promise<Result> | Result): Promise<Result> {
    try {
        return await work();
    } catch (error) {
        if (error instanceof StartError || error instanceof ConfigError) throw error;
        throw new StartError(step, reasonOf(error), { cause: error });
    }
}

function stackOf(error: unknown): { stack?: string | undefined } {
    const cause = error instanceof StartError ? error.cause : error;
    const isDefect = cause instanceof TypeError || cause instanceof ReferenceError;
    return isDefect && !('code' in cause) ? { stack: cause.stack } : {};
}
