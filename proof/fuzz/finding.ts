/** An input that its target handles wrongly. */
export interface Finding {
    /** Name of the target that got the input. */
    target: string;
    input: Buffer;
    reason: string;
}

/** The result of one part of the fuzzer. */
export interface Explored {
    target: string;
    inputs: number;
    /** Number of inputs that new inputs are made from: the seeds, and the inputs that reached new code. */
    corpus: number;
    findings: Finding[];
}

/** The kind of a reason. Reasons that differ only in values have the same kind and count as one finding. */
function kindOf(reason: string): string {
    const [first = ''] = reason.split('\n', 1);
    const place = /\bat .*?([\w-]+\.[jt]s:\d+)/.exec(reason)?.[1] ?? '';
    return `${place} ${first.replace(/\d+|'.*'|".*"/g, '…').slice(0, 100)}`;
}

/** Collects findings, one of each kind. */
export function findingList(): { add(finding: Finding): void; all(): Finding[] } {
    const byKind = new Map<string, Finding>();
    return {
        add(finding) {
            const kind = kindOf(finding.reason);
            if (!byKind.has(kind)) byKind.set(kind, finding);
        },
        all: () => [...byKind.values()],
    };
}
