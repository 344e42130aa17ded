import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LaunchTrial, Scenario, Trial } from '../scenario.ts';
import { copyServer, type PostgresServer, primaryConnection } from '../stack/postgres-server.ts';
import { until } from '../stack/proc.ts';
import type { FaultEnvironment } from '../stack/stack.ts';

const TARGET_MS = 2_000;
const REPLICATING_MS = 30_000;

/** The primary waits for its standby at each commit. The primary is killed, and the standby is promoted. */
function failover(): Scenario {
    let environment: FaultEnvironment | undefined;
    let standby: PostgresServer | undefined;

    async function launch({ stack }: LaunchTrial): Promise<void> {
        if (!environment) return;
        const { template, closing } = environment;
        const { postgres } = stack;
        await postgres.end('SIGINT');
        standby = await copyServer(postgres, template, join(stack.dir, 'standby'));
        const copy = standby;
        closing.defer(() => copy.end('SIGQUIT'));
        copy.configure(`hot_standby = on\n${primaryConnection(template, postgres)}`);
        copy.signalStandby();
        postgres.configure("synchronous_standby_names = 'standby'\nwal_keep_size = '256MB'");
        await postgres.start();
        await copy.start();
        await until('the standby is synchronous', REPLICATING_MS, async () => {
            const [row] = await postgres.admin('SELECT sync_state FROM pg_stat_replication');
            return row?.['sync_state'] === 'sync';
        });
        await stack.migrate();
        await stack.launch();
    }

    async function run({ stack, scaled, recovered, broken }: Trial): Promise<void> {
        const { postgres, proxies } = stack;
        if (!standby) return;
        await delay(scaled(5_000));
        await postgres.end('SIGKILL');
        await delay(1_000); // the time until the failure is noticed
        proxies.postgres.pointAt(standby.port);
        proxies.postgres.cut();
        const [row] = await standby.admin('SELECT pg_promote() AS promoted');
        if (row?.['promoted'] !== true) broken('I6', 'the standby was not promoted');
        await recovered('the promotion', performance.now(), TARGET_MS);
        await delay(scaled(5_000));
    }

    return {
        id: 'F19',
        fault: 'PostgreSQL fails over to a synchronous standby',
        form: 'apart',
        prepare: async (_dir, given) => {
            environment = given;
            return {};
        },
        launch,
        run,
    };
}

export const postgresFailover: readonly Scenario[] = [failover()];
