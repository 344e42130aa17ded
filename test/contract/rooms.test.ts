import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { importsOf, SOURCE_FILES } from './source-files.ts';

const MAX_FILES_PER_FOLDER = 20;

const WRITTEN_BY_HAND = SOURCE_FILES.filter((file) => !/^(proto|client\/src)\/gen\//.test(file));

/** The files of one import cycle, in order: each file imports the next one. Undefined if there is no cycle. */
function circleOf(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
    const done = new Set<string>();
    function search(file: string, path: string[]): string[] | undefined {
        const start = path.indexOf(file);
        if (start >= 0) return path.slice(start);
        if (done.has(file)) return undefined;
        for (const imported of imports.get(file) ?? []) {
            const circle = search(imported, [...path, file]);
            if (circle) return circle;
        }
        done.add(file);
        return undefined;
    }
    for (const file of imports.keys()) {
        const circle = search(file, []);
        if (circle) return circle;
    }
    return undefined;
}

test('no file imports itself, directly or through others', () => {
    const imports = new Map(WRITTEN_BY_HAND.map((file) => [file, importsOf(file, readFileSync(file, 'utf8'))]));
    assert.equal(circleOf(imports), undefined);
});

/** A file directly in platform/, or the folder in it that has the file. */
const roomOf = (file: string): string => /^platform\/[^/]+/.exec(file)?.[0] ?? file;

test('no folder of platform/ imports itself through other folders', () => {
    const files = WRITTEN_BY_HAND.filter((file) => file.startsWith('platform/'));
    const rooms = Map.groupBy(files, roomOf);
    const imports = new Map(
        Array.from(rooms, ([room, inside]) => {
            const imported = inside.flatMap((file) => importsOf(file, readFileSync(file, 'utf8'))).map(roomOf);
            return [room, imported.filter((other) => other !== room)];
        }),
    );
    assert.equal(circleOf(imports), undefined);
});

test('an import cycle is found', () => {
    const imports = new Map([
        ['a.ts', ['b.ts']],
        ['b.ts', ['c.ts', 'd.ts']],
        ['c.ts', []],
        ['d.ts', ['b.ts']],
    ]);
    assert.deepEqual(circleOf(imports), ['b.ts', 'd.ts']);
});

test(`no folder has more than ${MAX_FILES_PER_FOLDER} source files`, () => {
    const folders = Map.groupBy(WRITTEN_BY_HAND, (file) => dirname(file));
    const full = Array.from(folders, ([folder, files]) => `${folder}: ${files.length}`).filter(
        (line) => Number(line.split(': ')[1]) > MAX_FILES_PER_FOLDER,
    );
    assert.deepEqual(full, []);
});
