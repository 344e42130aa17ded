import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { lineGroups, MAX_LINES, MAX_LINES_BYTES, MalformedLine } from '../../../../gateway/http/body-lines.ts';
import { AppError } from '../../../../platform/errors.ts';

async function* piecesOf(text: string | Buffer, size: number): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function groupsOf(pieces: AsyncIterable<Buffer>, perGroup = 500): Promise<unknown[][]> {
    const groups: unknown[][] = [];
    for await (const group of lineGroups(pieces, perGroup)) groups.push(group);
    return groups;
}

const reasonOf = (line: unknown) => (line instanceof MalformedLine ? line.reason : undefined);

describe('lines of JSON', () => {
    it('are given in groups, in their order, however they are cut into pieces', () =>
        fc.assert(
            fc.asyncProperty(
                fc.array(fc.oneof(fc.integer(), fc.string(), fc.array(fc.boolean())), { minLength: 1, maxLength: 20 }),
                fc.integer({ min: 1, max: 50 }),
                fc.integer({ min: 1, max: 7 }),
                fc.boolean(),
                async (values, size, perGroup, endsWithNewline) => {
                    const text = values.map((value) => JSON.stringify(value)).join('\n');
                    const groups = await groupsOf(piecesOf(endsWithNewline ? `${text}\n` : text, size), perGroup);
                    const sizes = groups.map(({ length }) => length);
                    assert.ok(sizes.slice(0, -1).every((length) => length === perGroup));
                    assert.deepEqual(JSON.stringify(groups.flat()), JSON.stringify(values));
                },
            ),
            { numRuns: 50 },
        ));

    it('that cannot be used are given with the reason, and affect no others', async () => {
        const lines = ['1', '', '{', '{"a":1,"a":2}', `"${'x'.repeat(9_000)}"`, '"\xff"', '2'];
        const [group = []] = await groupsOf(piecesOf(Buffer.from(lines.join('\n'), 'latin1'), 4_000));
        assert.deepEqual([group.length, group[0], group[6]], [7, 1, 2]);
        const reasons = [
            /not usable JSON/,
            /not usable JSON/,
            /not usable JSON/,
            /longer than 8 KiB/,
            /not valid UTF-8/,
        ];
        for (const [index, reason] of reasons.entries()) assert.match(reasonOf(group[index + 1]) ?? '', reason);
    });

    it('are refused if there is none', async () => {
        await assert.rejects(
            groupsOf(piecesOf('', 1)),
            (error) => error instanceof AppError && error.kind === 'invalid',
        );
    });

    it('beyond the maximum number are not read', async () => {
        let taken = 0;
        async function* endless() {
            for (;;) {
                taken++;
                yield Buffer.from('1\n'.repeat(10_000));
            }
        }
        const lines = (await groupsOf(endless())).flat();
        assert.deepEqual([lines.length, taken], [MAX_LINES + 1, MAX_LINES / 10_000 + 1]);
        assert.equal(lines[MAX_LINES - 1], 1);
        assert.match(reasonOf(lines[MAX_LINES]) ?? '', /more than 100000 lines/);
    });

    it('beyond the largest body are not read, and a line without end takes no memory', async () => {
        let given = 0;
        async function* endless() {
            for (;;) {
                given += 1 << 20;
                yield Buffer.alloc(1 << 20, 'a');
            }
        }
        const lines = (await groupsOf(endless())).flat();
        assert.deepEqual([lines.length, given], [1, MAX_LINES_BYTES + (1 << 20)]);
        assert.match(reasonOf(lines[0]) ?? '', /larger than 64 MiB/);
    });
});
