import { globSync, readFileSync } from 'node:fs';

const ROW = /^\| (?!\*\*)(.+) \| (\d+) \| (.+) \|$/gm;
const PATH = /`([^`]+\/[^`]*)`/g;

/**
 * Returns the page docs/mechanisms.md with the lines of each mechanism counted anew. Its rows name files or, with a slash
 * at the end, folders. A file counts for the row that names it most exactly.
 */
export function countedMechanisms(page: string): string {
    const owner = ownersOf(page);
    let rows = 0;
    const counted = page.replace(ROW, (_, what: string, __, buys: string) => {
        rows++;
        const files = [...owner].filter(([, row]) => row.what === what).map(([file]) => file);
        if (files.length === 0) throw new Error(`docs/mechanisms.md: no file of "${what}" exists`);
        return `| ${what} | ${files.reduce((sum, file) => sum + linesIn(file), 0)} | ${buys} |`;
    });
    return counted.replace(/\d+ mechanisms/, `${rows} mechanisms`);
}

/** The row of each file. */
function ownersOf(page: string): Map<string, { what: string; exactness: number }> {
    const owner = new Map<string, { what: string; exactness: number }>();
    for (const [, what = ''] of page.matchAll(ROW)) {
        for (const [, path = ''] of what.matchAll(PATH)) {
            const isFolder = path.endsWith('/');
            const exactness = isFolder ? path.length : Number.POSITIVE_INFINITY;
            for (const file of globSync(isFolder ? `${path}**/*.{ts,lua}` : path))
                if (exactness >= (owner.get(file)?.exactness ?? 0)) owner.set(file, { what, exactness });
        }
    }
    return owner;
}

function linesIn(file: string): number {
    return readFileSync(file, 'utf8').split('\n').length - 1;
}
