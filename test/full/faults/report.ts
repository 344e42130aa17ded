import { cpus } from 'node:os';
import { figure, table } from '../../../bench/table.ts';
import type { Result } from './scenario.ts';

const HEAD = ['fault', 'acknowledged', 'lost', 'invariants broken', 'time to recover'] as const;

/**
 * Returns the table for the terminal, with the broken invariants, missed targets and notes below it. `seconds`: how long
 * the scenarios took together.
 */
export function report(results: readonly Result[], seconds: number): string {
    const details = results.flatMap(({ id, fault, broken, missed, notes }) => {
        const first = broken.slice(0, 5).map(({ invariant, text }) => `broken ${invariant}: ${text}`);
        const rest = broken.length > 5 ? [`broken: ${broken.length - 5} more`] : [];
        const lines = [...first, ...rest, ...missed.map((text) => `target missed: ${text}`), ...notes];
        return lines.map((line) => `${id} ${fault}: ${line}`);
    });
    return [table(HEAD, results.map(cellsOf)), total(results, seconds), ...details].join('\n');
}

const PAGE_HEAD = `# Faults: results

Written by \`npm run proof -- faults --report\`. [Reliability](../reliability.md) explains the faults and the columns.`;

/** Returns the page docs/reference/faults.md: the same table, with the machine and the date. */
export function page(results: readonly Result[], seconds: number, now: Date): string {
    const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
    const [{ model = 'an unknown processor' } = {}] = cpus();
    const machine = `Measured on ${now.toISOString().slice(0, 10)} on ${cpus().length} cores (${model}).`;
    const missed = results.flatMap(({ id, missed }) => missed.map((text) => `- ${id}: target missed: ${text}`));
    const rows = [HEAD, HEAD.map((_, column) => (column === 0 ? '---' : '---:')), ...results.map(cellsOf)];
    return [
        PAGE_HEAD,
        '',
        machine,
        '',
        ...rows.map(row),
        '',
        total(results, seconds),
        ...(missed.length > 0 ? ['', ...missed] : []),
        '',
    ].join('\n');
}

function cellsOf({ id, fault, skipped, acknowledged, lost, broken, recoveryMs }: Result): string[] {
    const name = `${id} ${fault}`;
    if (skipped !== undefined) return [name, `skipped: ${skipped}`, '', '', ''];
    const invariants = [...new Set(broken.map(({ invariant }) => invariant))].sort().join(' ') || 'none';
    const recovery = recoveryMs === undefined ? '–' : `${figure(recoveryMs / 1_000)} s`;
    return [name, figure0(acknowledged), String(lost), invariants, recovery];
}

function total(results: readonly Result[], seconds: number): string {
    const sum = (of: (result: Result) => number): number => results.reduce((all, result) => all + of(result), 0);
    return `${figure0(sum(({ acknowledged }) => acknowledged))} acknowledged, ${sum(({ lost }) => lost)} lost, in ${figure0(seconds)} s.`;
}

function figure0(value: number): string {
    return Math.round(value).toLocaleString('en');
}
