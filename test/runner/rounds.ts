import { UNRELATED_ROLES } from '../support/members.ts';
import { startService, type TestService, type Transport } from '../support/service.ts';
import type { Environment } from './databases.ts';
import { workDir } from './lifetime.ts';

/** One way to run end-to-end tests. */
export interface Round {
    transport: Transport;
    /** False: the processes call each other without frames (RPC_FRAMES=0). */
    frames?: boolean;
    /** Roles that share a process. Without, each role has a process of its own. */
    groups?: ReadonlyArray<readonly string[]>;
    /** `npm start` runs this many processes behind one port. */
    processes?: number;
    /** A database on a Citus, which the round uses instead of the databases of this run, and the parts of the credentials. */
    citus?: { url: string; parts: number };
    /** Folders of its test files. */
    folders: readonly string[];
}

const FAST = 'test/e2e/';
const SLOW = 'test/full/e2e/';

/** The fast tier: all roles in each of two processes, which cost a third less CPU than those of PRODUCTION_ROUND. */
export const FAST_ROUND: Round = { transport: 'local', folders: [FAST] };

/**
 * The shape of production, but roles that do not call each other share a process. So each call between two services
 * leaves its process, and fewer processes cost CPU while they start and wait.
 */
const PRODUCTION = { transport: 'grpc', groups: UNRELATED_ROLES } as const;

/** The slow tests. */
export const SLOW_ROUND: Round = { ...PRODUCTION, folders: [SLOW] };

/** The fast tests. */
export const PRODUCTION_ROUND: Round = { ...PRODUCTION, folders: [FAST] };

/** The tests in which services call each other, without frames, and those that depend on the process that answers. */
export const SPECIAL_ROUNDS: readonly Round[] = [
    { ...PRODUCTION, frames: false, folders: [`${FAST}grpc/`, `${FAST}batches/`, `${FAST}credentials/`] },
    { transport: 'local', processes: 2, folders: [`${FAST}http/`, `${SLOW}races/`] },
];

/** `npm run test:citus`: all end-to-end tests, in the shape of production, on this Citus. */
export function citusRound(citus: { url: string; parts: number }): Round {
    return { transport: 'grpc', citus, folders: [FAST, SLOW] };
}

/** The only round on a running service: E2E_TRANSPORT and the other variables of test/full/deploy/compose.sh describe it. */
export function givenRound(): Round {
    return { transport: process.env['E2E_TRANSPORT'] as Transport, folders: [FAST, SLOW] };
}

/** Starts the service of a round. */
export function startRound(
    { transport, frames = true, groups, processes, citus }: Round,
    databases: Environment,
): Promise<TestService> {
    return startService({
        transport,
        // startDatabases sets all of these.
        adminUrl: databases['TEST_ADMIN_URL'] as string,
        databaseUrl: citus?.url ?? (databases['TEST_DATABASE_URL'] as string),
        citus,
        redisUrl: databases['TEST_REDIS_URL'] as string,
        poolerUrl: databases['TEST_POOLER_URL'],
        logDir: workDir,
        settings: { RPC_FRAMES: frames ? '1' : '0' },
        groups,
        processes,
        // In a large shape: a database for each role, and four for the credentials. The other rounds have one database.
        roleTemplate: transport === 'grpc' && frames ? databases['TEST_TEMPLATE'] : undefined,
    });
}

/** What the output calls a round. */
export function titleOf({ transport, frames = true, processes, citus, folders }: Round): string {
    if (citus !== undefined) return `end to end, ${transport} on Citus, ${citus.parts} parts`;
    const several = processes === undefined ? '' : ` with ${processes} processes`;
    const slow = folders.every((folder) => folder === SLOW) ? ', the slow tests' : '';
    return `end to end, ${transport}${frames ? '' : ' without frames'}${several}${slow}`;
}
