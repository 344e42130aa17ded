import { BackendTerminatedError, ConnectionError, UnexpectedStateError } from 'slonik';
import { AppError } from '../errors.ts';

/**
 * SQLSTATE classes of failures of the database, not of the statement: 08 connection, 25006 read-only, 28 authorization,
 * 3D no such database, 40 deadlock and serialization, 53 resources, 55 not in the required state, 57 operator
 * intervention, 58 system.
 */
const OUTAGE = /^(08|25006|28|3D|40|53|55|57|58)/;
/**
 * SQLSTATE classes of invalid values in a statement: 21 cardinality, 22 data, 23 integrity, 44 check option, 54 limits
 * (such as a value that is too long for an index).
 */
const VALUES = /^(21|22|23|44|54)/;
/** Citus reports some lost connections to its other nodes as internal errors. Only their texts say so. */
const LOST_NODE = /\bconnection\b/;

/**
 * Converts failures of the connection and the database to `unavailable`. Rethrows errors of the statement unchanged.
 */
export async function translated<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
        return await run();
    } catch (error) {
        if (error instanceof AppError || !isOutage(error)) throw error;
        throw new AppError('unavailable', 'The database could not complete the call. Try again shortly.', {
            retry_after: 1,
            reason: 'database',
            cause: error,
        });
    }
}

/**
 * True if the database is at fault. Every failure to open a connection is an outage: an unresolved name, TLS, a
 * password. The pool throws UnexpectedStateError while it is being closed.
 */
function isOutage(error: unknown): boolean {
    if (error instanceof ConnectionError || error instanceof BackendTerminatedError) return true;
    if (error instanceof UnexpectedStateError) return true;
    const { code = '', message = '' } = refusal(error) ?? {};
    return OUTAGE.test(code) || (code === 'XX000' && LOST_NODE.test(message));
}

/** Returns the SQLSTATE with which PostgreSQL refused a statement. */
export function refusalCode(error: unknown): string | undefined {
    return refusal(error)?.code;
}

function refusal(error: unknown): { code: string; message: string } | undefined {
    for (let cause = error; Error.isError(cause); cause = cause.cause) {
        if ('code' in cause && typeof cause.code === 'string') return { code: cause.code, message: cause.message };
    }
    return undefined;
}

/** True if PostgreSQL ended the statement because of a deadlock. It has changed nothing. */
export function isDeadlock(error: unknown): boolean {
    return refusalCode(error) === '40P01';
}

/**
 * True if PostgreSQL refused the statement because of a value in it. The other items of its batch are then not at
 * fault.
 */
export function isRefusedStatement(error: unknown): boolean {
    return !(error instanceof AppError) && VALUES.test(refusalCode(error) ?? '');
}
