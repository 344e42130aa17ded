/** Returns the rows as aligned columns: the first column to the left, the others to the right. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
    const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
    const line = (cells: readonly string[]): string =>
        cells
            .map((cell, column) =>
                column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
            )
            .join('  ');
    return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}

/** Returns a number as text, with separators between thousands. Smaller numbers have more decimals. */
export function figure(value: number): string {
    const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
    return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
