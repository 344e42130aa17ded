import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** CPU time and memory of processes, as Linux counts them (proc(5)). */

/** USER_HZ: a constant of Linux' interface to programs. */
const TICKS_PER_SECOND = 100;

export interface Stat {
    pid: number;
    parent: number;
    /** Of its own threads, in seconds. */
    cpu_s: number;
    /** Of its children that have ended and were waited for. */
    ended_children_s: number;
}

/** The groups whose cost is told apart, each with the processes at its root. */
export type Groups = Record<string, readonly number[]>;

export function parseStat(text: string): Stat {
    // The second field, the command's name, is in parentheses and may itself hold any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const seconds = (field: number): number => Number(fields[field - 3]) / TICKS_PER_SECOND; // fields 1 and 2 are cut off
    return {
        pid: Number.parseInt(text, 10),
        parent: Number(fields[1]),
        cpu_s: seconds(14) + seconds(15),
        ended_children_s: seconds(16) + seconds(17),
    };
}

/** CPU seconds so far of each group: its processes with all that they have started, but for those at the root of another group. */
export function cpuOf(groups: Groups, stats: readonly Stat[] = allStats()): Record<string, number> {
    const roots = new Set(Object.values(groups).flat());
    const by_pid = new Map(stats.map((stat) => [stat.pid, stat]));
    // The service that npm start runs has started its databases itself.
    const by_parent = Map.groupBy(
        stats.filter(({ pid }) => !roots.has(pid)),
        (stat) => stat.parent,
    );
    const tree = (pid: number): number => {
        const stat = by_pid.get(pid);
        if (!stat) return 0;
        const children = by_parent.get(pid) ?? [];
        return stat.cpu_s + stat.ended_children_s + children.reduce((sum, child) => sum + tree(child.pid), 0);
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
            return []; // it ended meanwhile
        }
    });
}

/** What `later` has more than `earlier`. */
export function difference(earlier: Record<string, number>, later: Record<string, number>): Record<string, number> {
    return Object.fromEntries(Object.entries(later).map(([name, value]) => [name, value - (earlier[name] ?? 0)]));
}

/** Begins a new peak of memory for these processes; where that is not allowed, the peak of their whole life goes on. */
export function resetPeaks(pids: readonly number[]): void {
    for (const pid of pids) {
        try {
            writeFileSync(`/proc/${pid}/clear_refs`, '5');
        } catch {
            // Another user's process.
        }
    }
}

/** The most memory that these processes have had resident, added up, in MiB. */
export function peakMiB(pids: readonly number[]): number {
    return pids.reduce((sum, pid) => {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        return sum + Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
    }, 0);
}
