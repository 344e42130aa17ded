/** An input that is not treated as it must be. */
export interface Finding {
    /** What it was given to. */
    target: string;
    input: Buffer;
    reason: string;
}

/** What one part of the fuzzer has done. */
export interface Explored {
    target: string;
    inputs: number;
    /** Inputs that others are made from: the seeds, and those that reached code that had not run before. */
    corpus: number;
    findings: Finding[];
}

/** What sets a reason apart from others: those that differ only in values are one finding. */
function kindOf(reason: string): string {
    const [first = ''] = reason.split('\n', 1);
    const place = /\bat .*?([\w-]+\.[jt]s:\d+)/.exec(reason)?.[1] ?? '';
    return `${place} ${first.replace(/\d+|'.*'|".*"/g, '…').slice(0, 100)}`;
}

/** Collects findings, one of each kind. */
export function findingList(): { add(finding: Finding): void; all(): Finding[] } {
    const by_kind = new Map<string, Finding>();
    return {
        add(finding) {
            const kind = kindOf(finding.reason);
            if (!by_kind.has(kind)) by_kind.set(kind, finding);
        },
        all: () => [...by_kind.values()],
    };
}
