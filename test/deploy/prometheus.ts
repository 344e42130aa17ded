import { execFileSync } from 'node:child_process';
import { accessSync, existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const given = process.env['PROMETHEUS_DIR'];
if (given) accessSync(given); // who names one wants it used

/** Where Debian's package puts `prometheus` and `promtool`. */
const DIR = given || '/usr/bin';

/** Why tests that need Prometheus are skipped, if they are. */
export const skip = existsSync(`${DIR}/promtool`)
    ? false
    : `no Prometheus: neither PROMETHEUS_DIR nor ${DIR} has promtool`;

export const PROMETHEUS = `${DIR}/prometheus`;

export const RULES = 'deploy/prometheus/alerts.yaml';

/** Runs promtool; throws with what it complains of. */
export function promtool(args: string[], input = ''): string {
    return execFileSync(`${DIR}/promtool`, args, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] });
}

export interface Rule {
    alert?: string;
    record?: string;
    expr: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
}

/** The rules that the repository has for Prometheus. */
export function rules(): Rule[] {
    const { groups }: { groups: Array<{ rules: Rule[] }> } = parse(readFileSync(RULES, 'utf8')); // as promtool checks it
    return groups.flatMap((group) => group.rules);
}
