import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Paths of all TypeScript files of the project. */
export const SOURCE_FILES: readonly string[] = globSync('**/*.ts', {
    exclude: (path) => path.includes('node_modules'),
});

/** The files of the project that `source`, the text of `file`, imports. */
export function importsOf(file: string, source: string): string[] {
    const lines = source.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g);
    return Array.from(lines, ([, path = '']) => join(dirname(file), path));
}
