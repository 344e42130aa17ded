import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** CPU time and memory of processes, as Linux counts them (proc(5)). */

/** USER_HZ, which is a constant of the interface that Linux offers to programs. */
const TICKS_PER_SECOND = 100;

interface Stat {
    pid: number;
    parent: number;
    /** CPU time of its own threads, in seconds. */
    cpuS: number;
    /** CPU time of its children that have ended and that it has waited for, in seconds. */
    endedChildrenS: number;
}

/** Groups of processes that are measured separately. Each group lists its root processes. */
export type Groups = Record<string, readonly number[]>;

export function parseStat(text: string): Stat {
    // The second field is the command's name in parentheses, which may contain any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // `fields` begins with field 3.
    const seconds = (field: number): number => Number(fields[field - 3]) / TICKS_PER_SECOND;
    return {
        pid: Number.parseInt(text, 10),
        parent: Number(fields[1]),
        cpuS: seconds(14) + seconds(15),
        endedChildrenS: seconds(16) + seconds(17),
    };
}

/**
 * Returns the CPU seconds of each group so far. A group consists of its root processes and everything that they have
 * started, except root processes of other groups.
 */
export function cpuOf(groups: Groups, stats: readonly Stat[] = allStats()): Record<string, number> {
    const roots = new Set(Object.values(groups).flat());
    const byPid = new Map(stats.map((stat) => [stat.pid, stat]));
    // A root process may be the child of another group: the service that `npm start` runs starts its databases itself.
    const byParent = Map.groupBy(
        stats.filter(({ pid }) => !roots.has(pid)),
        (stat) => stat.parent,
    );
    const tree = (pid: number): number => {
        const stat = byPid.get(pid);
        if (!stat) return 0;
        const children = byParent.get(pid) ?? [];
        return stat.cpuS + stat.endedChildrenS + children.reduce((sum, child) => sum + tree(child.pid), 0);
    };
    return Object.fromEntries(
        Object.entries(groups).map(([name, pids]) => [name, pids.reduce((sum, pid) => sum + tree(pid), 0)]),
    );
}

function allStats(): Stat[] {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => {
        try {
            return [parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))];
        } catch {
            return []; // the process ended meanwhile
        }
    });
}

/** Returns `later` minus `earlier`, name by name. */
export function difference(earlier: Record<string, number>, later: Record<string, number>): Record<string, number> {
    return Object.fromEntries(Object.entries(later).map(([name, value]) => [name, value - (earlier[name] ?? 0)]));
}

/** Resets the peak of memory of these processes. If that is not allowed, the peak since their start remains. */
export function resetPeaks(pids: readonly number[]): void {
    for (const pid of pids) {
        try {
            writeFileSync(`/proc/${pid}/clear_refs`, '5');
        } catch {
            // The process belongs to another user.
        }
    }
}

/** Returns the sum of the peaks of resident memory of these processes, in MiB. */
export function peakMiB(pids: readonly number[]): number {
    return pids.reduce((sum, pid) => {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        return sum + Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
    }, 0);
}
