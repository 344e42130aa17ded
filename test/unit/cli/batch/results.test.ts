import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { newPlan } from '../../../../cli/src/batch/plan.ts';
import { storedResults } from '../../../../cli/src/batch/results.ts';
import { newFile } from './files.ts';

const plan = newPlan('verify', 'sha', { check_revocation: true });
const LINES = '{"line":1,"ok":true,"valid":true}\n{"line":2,"ok":true,"valid":false}\n{"line":4,"ok":false}\n';

/** A file of results that an earlier run has left. */
async function left(content: string): Promise<string> {
    const path = newFile();
    await storedResults(plan, path);
    writeFileSync(path, content);
    return path;
}

describe('results in a file', () => {
    it('are continued after the last complete line', async () => {
        for (const torn of ['', '{', '{"line":5,"ok":true}', '{"line":5,"ok":tr']) {
            const path = await left(LINES + torn);
            const { done, failed, lastLine, resumed, write } = await storedResults(plan, path);
            assert.deepEqual({ done, failed, lastLine, resumed }, { done: 3, failed: 2, lastLine: 4, resumed: true });
            await write([{ line: 5, ok: true }]);
            assert.equal(readFileSync(path, 'utf8'), `${LINES}{"line":5,"ok":true}\n`);
        }
    });

    it('have a plan before the first of them is written', async () => {
        const path = newFile();
        const { resumed, storePlan } = await storedResults(plan, path);
        assert.deepEqual({ resumed, stored: existsSync(path) }, { resumed: false, stored: false });
        assert.deepEqual(JSON.parse(readFileSync(`${path}.plan`, 'utf8')), plan);
        const changed = { ...plan, sizes: [{ after: 0, items: 5 }] };
        storePlan(changed);
        assert.deepEqual((await storedResults(plan, path)).plan, changed);
    });

    it('of something else are neither continued nor cut', async () => {
        const torn = `${LINES}torn`;
        const foreign = newFile(torn);
        await assert.rejects(storedResults(plan, foreign), /has a content, but no .*\.plan says where it comes from/);
        assert.equal(readFileSync(foreign, 'utf8'), torn);
        const path = await left(torn);
        for (const other of [
            newPlan('verify', 'sha2', plan.settings),
            newPlan('verify', 'sha', {}),
            newPlan('revoke', 'sha', plan.settings),
        ]) {
            await assert.rejects(storedResults(other, path), /belongs to another input or other options/);
        }
        assert.equal(readFileSync(path, 'utf8'), torn);
        await assert.rejects(storedResults(plan, await left(`${LINES}{}\n`)), /Line 4 of .* is no result/);
    });
});
