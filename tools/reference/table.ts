/** A Markdown table, with a line end after its last row. */
export function table(columns: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
    const lines = [columns, columns.map(() => '---'), ...rows];
    return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}
