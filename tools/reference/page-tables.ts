import { readFileSync } from 'node:fs';

/** The cells of each table row in one section of a page, or in the whole page if no heading is given. */
export function rowsOf(page: string, heading?: string): string[][] {
    const text = readFileSync(page, 'utf8');
    const start = heading === undefined ? 0 : text.indexOf(`\n## ${heading}\n`);
    if (start < 0) throw new Error(`${page} has no section "${heading}"`);
    const next = heading === undefined ? -1 : text.indexOf('\n## ', start + 1);
    const lines = text.slice(start, next < 0 ? undefined : next).split('\n');
    return lines
        .filter((line) => line.startsWith('| ') && !line.startsWith('| --- '))
        .map((line) =>
            line
                .split('|')
                .slice(1, -1)
                .map((cell) => cell.trim()),
        );
}

/** The texts in `code` of a cell. */
export function codeIn(cell: string): string[] {
    return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);
}
