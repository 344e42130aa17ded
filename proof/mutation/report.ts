/** One change of the code. */
export interface Mutant {
    file: string;
    line: number;
    /** The original text and its replacement. */
    change: string;
    /** Whether a test failed or did not end. */
    caught: boolean;
}

/** Share of the mutants that the tests must catch in every area. */
export const LEAST_SCORE = 0.85;

/** Prints the mutants that survived, and how many of each file were caught. Returns whether enough were caught. */
export function report(area: string, mutants: readonly Mutant[]): boolean {
    const survivors = mutants.filter(({ caught }) => !caught);
    for (const { file, line, change } of survivors) {
        console.log(`survived: ${file}:${line} ${change.replaceAll(/\s+/g, ' ').slice(0, 200)}`);
    }
    const score = (some: readonly Mutant[]): string => {
        const caught = some.filter((mutant) => mutant.caught).length;
        return `${caught} of ${some.length} caught (${((100 * caught) / some.length).toFixed(1)} %)`;
    };
    for (const [file, own] of Map.groupBy(mutants, ({ file }) => file)) console.log(`${area}: ${file}: ${score(own)}`);
    console.log(`${area}: ${score(mutants)}`);
    return survivors.length <= (1 - LEAST_SCORE) * mutants.length;
}
