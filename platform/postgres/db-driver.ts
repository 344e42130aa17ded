import { Socket } from 'node:net';
import { Client, type ClientConfig, type CustomTypesConfig, DatabaseError, types } from 'pg';
import { BackendTerminatedError, createDriverFactory, type DriverFactory, type DriverQueryResult } from 'slonik';
import { connectionTo } from './database-url.ts';
import { connectSession } from './session.ts';

/**
 * How much longer than a statement its answer may take, in milliseconds. A healthy PostgreSQL cancels a statement at its
 * time limit; this covers a PostgreSQL that hangs or is lost. Beyond it: the connection is closed, and the call is
 * `unavailable`.
 */
const SILENCE_MS = 1_000;
/**
 * Time limit of a statement, in milliseconds. It is shorter than a request's deadline. Behind a pooler the setting of
 * the database's role applies instead. Beyond it: PostgreSQL cancels the statement, and the call is `unavailable`.
 */
const STATEMENT_TIMEOUT_MS = 8_000;
/**
 * How long a transaction may be idle, in milliseconds. Behind a pooler the setting of the database's role applies
 * instead. Beyond it: PostgreSQL ends the transaction.
 */
const IDLE_IN_TRANSACTION_MS = 10_000;
/**
 * Time limit for connecting, in milliseconds, from the look-up of the host's name to the usable session. Beyond it: one
 * more attempt, then `unavailable`.
 */
const CONNECT_TIMEOUT_MS = 3_000;
/**
 * Idle time of a connection before TCP probes the host, in milliseconds. Beyond it: ten unanswered probes, one per
 * second, end the connection.
 */
const KEEP_ALIVE_MS = 10_000;
/**
 * Time limit for PostgreSQL to close a connection that is no longer needed, in milliseconds. Beyond it: the socket is
 * destroyed.
 */
const END_TIMEOUT_MS = 1_000;

/**
 * Makes PostgreSQL keep the plan of a prepared statement. By default it plans an insertion again whenever the arrays
 * are shorter than it has estimated. For DIDs, that planning took a quarter of the time. Citus cannot plan a statement
 * without its values.
 */
const KEPT_PLANS = `
    SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
    WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`;

type Parse = (text: string) => unknown;

interface DriverOptions {
    url: string;
    /** See openDatabase. */
    pooled: boolean;
    /** See openDatabase. */
    statementMs: number | undefined;
    /** Converts a column's text, by the OID of its type. */
    parsers: ReadonlyMap<number, Parse>;
}

interface Statement {
    text: string;
    values: unknown[] | undefined;
    /** With a name, the connection plans the statement once. */
    name: string | undefined;
}

/**
 * Opens the connections of a pool. Each closes when PostgreSQL stops answering. Statements fail with DatabaseError of
 * pg if PostgreSQL refuses them, and with BackendTerminatedError if the connection is lost.
 */
export function postgresDriver(options: DriverOptions): DriverFactory {
    const { statementMs = STATEMENT_TIMEOUT_MS } = options;
    const config = clientConfig({ ...options, statementMs });
    const silenceMs = statementMs + SILENCE_MS;
    return createDriverFactory(async () => ({
        createPoolClient: async ({ clientEventEmitter }) => {
            const socket = new Socket();
            const client = new Client({ ...config, stream: () => socket });
            client.on('error', (error) => {
                // The pool removes its listener when it drops the connection. Without one, emit('error') would throw.
                if (clientEventEmitter.listenerCount('error') === 0) return;
                clientEventEmitter.emit('error', new BackendTerminatedError(error));
            });
            return {
                connect: () =>
                    answerInTime(socket, silenceMs, () => connectSession(client, options.pooled ? '' : KEPT_PLANS)),
                end: () => endInTime(client, socket),
                query: (text, values, { name } = {}) =>
                    answerInTime(socket, silenceMs, () => query(client, { text, values, name })),
                stream() {
                    throw new Error('Statements are not streamed.');
                },
            };
        },
    }));
}

function clientConfig({ url, pooled, statementMs, parsers }: DriverOptions): ClientConfig {
    // Columns arrive as text: the driver requests no other format.
    const getTypeParser = ((oid: number) =>
        readable(parsers.get(oid) ?? types.getTypeParser(oid))) as CustomTypesConfig['getTypeParser'];
    return {
        ...connectionTo(url),
        types: { getTypeParser },
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        ...(!pooled && {
            statement_timeout: statementMs,
            idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
        }),
    };
}

/** A column has a text that its parser cannot convert. The session is intact. */
export class UnreadableColumn extends Error {}

function readable(parse: Parse): Parse {
    return (text) => {
        try {
            return parse(text);
        } catch (error) {
            throw new UnreadableColumn('A column of the answer cannot be read.', { cause: error });
        }
    };
}

async function query(client: Client, { text, values, name }: Statement): Promise<DriverQueryResult> {
    try {
        const result = await client.query<Record<string, unknown>>({
            text,
            ...(values && { values }),
            ...(name !== undefined && { name }),
        });
        return {
            command: result.command as DriverQueryResult['command'], // slonik's list of commands is not complete
            fields: result.fields.map((field) => ({ name: field.name, dataTypeId: field.dataTypeID })),
            rowCount: result.rowCount,
            rows: result.rows,
        };
    } catch (error) {
        if (error instanceof UnreadableColumn) throw error;
        if (error instanceof DatabaseError && !endsSession(error)) throw error;
        // After this error the pool sends nothing more on the connection, not even a rollback.
        throw new BackendTerminatedError(error as Error); // pg rejects with Errors only
    }
}

function endsSession({ severity }: DatabaseError): boolean {
    return severity === 'FATAL' || severity === 'PANIC';
}

/**
 * Closes the connection if no answer comes in time. Every statement on it fails, and the pool opens another connection.
 */
async function answerInTime<Result>(socket: Socket, silenceMs: number, ask: () => Promise<Result>): Promise<Result> {
    let isAnswered = false;
    const giveUp = (): void => {
        if (!isAnswered) socket.destroy(new Error('PostgreSQL did not answer in time.'));
    };
    // After a stall of this process, timers run first. setImmediate lets Node read data that has arrived before giveUp.
    const timer = setTimeout(() => setImmediate(giveUp), silenceMs);
    try {
        return await ask();
    } finally {
        isAnswered = true;
        clearTimeout(timer);
    }
}

async function endInTime(client: Client, socket: Socket): Promise<void> {
    const timer = setTimeout(() => socket.destroy(), END_TIMEOUT_MS);
    try {
        await client.end();
    } finally {
        clearTimeout(timer);
    }
}
