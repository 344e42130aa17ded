import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { PROMETHEUS, RULES } from '../../deploy/prometheus.ts';

interface Sample {
    metric: Record<string, string>;
    /** The time, and the value as text, which may be `NaN`. */
    value: [number, string];
}

export interface Prometheus {
    query(expr: string): Promise<Sample[]>;
    /** The rules with the result of their last evaluation. */
    rules(): Promise<Array<{ name: string; health: string; lastError?: string }>>;
    stop(): Promise<void>;
}

/** Starts a real Prometheus with the rules of the repository. It scrapes each target twice a second. */
export async function startPrometheus(targets: Array<{ role: string; target: string }>): Promise<Prometheus> {
    const dir = mkdtempSync(join(tmpdir(), 'prometheus-'));
    const config = {
        global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '1s' },
        rule_files: [resolve(RULES)],
        scrape_configs: [
            {
                job_name: 'credential-service',
                static_configs: targets.map(({ role, target }) => ({ targets: [target], labels: { role } })),
            },
        ],
    };
    const file = join(dir, 'prometheus.yml');
    writeFileSync(file, JSON.stringify(config)); // JSON is valid YAML
    const listen = `127.0.0.1:${await pickPort()}`;
    const args = [`--config.file=${file}`, `--storage.tsdb.path=${dir}/data`, `--web.listen-address=${listen}`];
    const child = spawn(PROMETHEUS, [...args, '--log.level=error'], { stdio: ['ignore', 'inherit', 'inherit'] });
    const get = async (path: string) => {
        const response = await fetch(`http://${listen}${path}`);
        const { data, error } = (await response.json()) as { data: unknown; error?: string }; // Prometheus' envelope
        if (!response.ok) throw new Error(`${path}: ${error}`);
        return data;
    };
    while (
        !(await fetch(`http://${listen}/-/ready`).then(
            ({ ok }) => ok,
            () => false,
        ))
    ) {
        if (child.exitCode !== null) throw new Error('Prometheus exited before it was ready.');
        await delay(50);
    }
    return {
        async query(expr) {
            const { result } = (await get(`/api/v1/query?${new URLSearchParams({ query: expr })}`)) as {
                result: Sample[];
            };
            return result;
        },
        async rules() {
            const { groups } = (await get('/api/v1/rules')) as {
                groups: Array<{ rules: Array<{ name: string; health: string; lastError?: string }> }>;
            };
            return groups.flatMap(({ rules }) => rules);
        },
        async stop() {
            child.kill('SIGTERM');
            await once(child, 'exit');
            rmSync(dir, { recursive: true, force: true });
        },
    };
}
