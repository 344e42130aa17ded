import { parseArgs } from 'node:util';
import { type DatabaseImage, IMAGES } from './images.ts';

export interface VersionsOptions {
    images: readonly DatabaseImage[];
    /** Path prefixes of test files. */
    files: string[];
}

const FILES = ['test/integration', 'test/full/integration', 'test/e2e', 'test/full/e2e'];

/** Parses the arguments of `npm run proof -- versions`. Throws an Error that says which argument is wrong. */
export function parseOptions(args: string[]): VersionsOptions {
    const { values, positionals } = parseArgs({
        args,
        allowPositionals: true,
        options: { images: { type: 'string', default: '' } },
    });
    const names = values.images.split(',').filter((name) => name !== '');
    const unknown = names.find((name) => !IMAGES.some(({ image }) => image === name));
    if (unknown !== undefined) {
        throw new Error(`--images must be some of: ${IMAGES.map(({ image }) => image).join(', ')}.`);
    }
    return {
        images: names.length === 0 ? IMAGES : IMAGES.filter(({ image }) => names.includes(image)),
        files: positionals.length === 0 ? FILES : positionals,
    };
}
