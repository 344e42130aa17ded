/**
 * Returns the candidate that differs least from `word`; undefined if none is similar. Candidates that differ in more
 * than `most` characters are not considered.
 */
export function nearest(word: string, candidates: readonly string[], most = Infinity): string | undefined {
    const ranked = candidates
        .filter((candidate) => Math.abs(candidate.length - word.length) <= most)
        .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
        .filter(({ candidate, distance }) => distance <= Math.min(most, Math.max(1, Math.floor(candidate.length / 3))))
        .sort((a, b) => a.distance - b.distance);
    return ranked[0]?.candidate;
}

/** Number of characters to insert, delete, replace or swap with a neighbour, to turn one text into the other. */
function distanceOf(from: string, to: string): number {
    const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
    for (let i = 1; i <= from.length; i++) {
        const row = [i];
        const above = rows[i - 1] ?? [];
        for (let j = 1; j <= to.length; j++) {
            const cost = from[i - 1] === to[j - 1] ? 0 : 1;
            let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
            const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
            if (isSwap) best = Math.min(best, (rows[i - 2]?.[j - 2] ?? 0) + 1);
            row.push(best);
        }
        rows.push(row);
    }
    return rows[from.length]?.[to.length] ?? 0;
}
