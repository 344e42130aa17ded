/** The metrics of a process, and the value of the label that distinguishes its samples. */
export interface ProcessMetrics {
    process: string;
    /** In Prometheus' text format. */
    text: string;
}

interface Family {
    /** The HELP and TYPE lines. */
    head: string[];
    samples: string[];
}

/**
 * Merges the metrics of several processes into one text. Each sample gets a label `process`, so `sum` adds up counters
 * correctly, also after a process was replaced.
 */
export function mergeMetrics(all: readonly ProcessMetrics[]): string {
    const families = new Map<string, Family>();
    for (const { process, text } of all) {
        let family: Family = { head: [], samples: [] };
        for (const line of text.split('\n')) {
            const [, name] = /^# (?:HELP|TYPE) (\S+)/.exec(line) ?? [];
            if (name !== undefined) {
                family = familyOf(families, name);
                if (!family.head.includes(line)) family.head.push(line);
            } else if (line !== '') {
                family.samples.push(labelled(line, process));
            }
        }
    }
    return Array.from(families.values(), ({ head, samples }) => `${[...head, ...samples].join('\n')}\n`).join('\n');
}

function familyOf(families: Map<string, Family>, name: string): Family {
    const existing = families.get(name);
    if (existing) return existing;
    const created: Family = { head: [], samples: [] };
    families.set(name, created);
    return created;
}

/** Adds the label as the first one. The name ends at the first blank or brace. */
function labelled(sample: string, process: string): string {
    const end = sample.search(/[ {]/);
    const name = sample.slice(0, end);
    const label = `process="${process}"`;
    return sample[end] === '{' ? `${name}{${label},${sample.slice(end + 1)}` : `${name}{${label}}${sample.slice(end)}`;
}
