import { type Profiler, Session } from 'node:inspector';

/** The blocks of the program that V8 ran in this thread. */
export interface Coverage {
    /** Blocks that ran since the last call, and never before. */
    newBlocks(): ReadonlySet<string>;
    /** Whether one of these blocks ran since the last call. */
    hasRun(blocks: ReadonlySet<string>): boolean;
    stop(): void;
}

/**
 * Starts coverage of the files whose URL contains none of `excluded`. node_modules and Node's own files are left out.
 */
export function startCoverage(excluded: readonly string[]): Coverage {
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    const seen = new Set<string>();
    const leftOut = ['/node_modules/', ...excluded];
    const isProgram = ({ url }: Profiler.ScriptCoverage): boolean =>
        url.startsWith('file:') && !leftOut.some((part) => url.includes(part));
    const takeBlocks = (): string[] => {
        let scripts: Profiler.ScriptCoverage[] = [];
        // The inspector of the same thread answers before post() returns.
        session.post('Profiler.takePreciseCoverage', (error, { result }) => {
            if (error) throw error;
            scripts = result;
        });
        return scripts.filter(isProgram).flatMap(blocksOf);
    };
    return {
        newBlocks() {
            const blocks = new Set(takeBlocks().filter((block) => !seen.has(block)));
            for (const block of blocks) seen.add(block);
            return blocks;
        },
        hasRun: (blocks) => takeBlocks().some((block) => blocks.has(block)),
        stop: () => session.disconnect(),
    };
}

function blocksOf({ scriptId, functions }: Profiler.ScriptCoverage): string[] {
    return functions.flatMap(({ ranges }) =>
        ranges
            .filter(({ count }) => count > 0)
            .map(({ startOffset, endOffset }) => `${scriptId}:${startOffset}-${endOffset}`),
    );
}
