import { execFileSync } from 'node:child_process';
import { accessSync, existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const given = process.env['PROMETHEUS_DIR'];
if (given) accessSync(given); // throws instead of skipping tests if the folder is missing

/** Folder of `prometheus` and `promtool`. Debian's package installs them in /usr/bin. */
const DIR = given || '/usr/bin';

/** Reason to skip the tests that need Prometheus, or false if it is installed. */
export const skip = existsSync(`${DIR}/promtool`)
    ? false
    : `no Prometheus: neither PROMETHEUS_DIR nor ${DIR} has promtool`;

export const PROMETHEUS = `${DIR}/prometheus`;

export const RULES = 'deploy/prometheus/alerts.yaml';

/** Runs promtool with `input` on its standard input. Returns its output, or throws with its error output. */
export function promtool(args: string[], input = ''): string {
    return execFileSync(`${DIR}/promtool`, args, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] });
}

interface Rule {
    alert?: string;
    record?: string;
    expr: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
}

/** Returns the Prometheus rules of the repository. */
export function rules(): Rule[] {
    const { groups }: { groups: Array<{ rules: Rule[] }> } = parse(readFileSync(RULES, 'utf8')); // promtool checks it
    return groups.flatMap((group) => group.rules);
}
