import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checkAnswers, checkIds } from './check/answers.ts';
import { checkSecrets } from './check/secrets.ts';
import type { Invariant, Violation } from './check/violation.ts';
import { newPassword } from './load/actor.ts';
import type { Answer } from './load/calls.ts';
import type { Entry, Journal } from './load/journal.ts';

const dir = mkdtempSync(join(tmpdir(), 'answers-'));
after(() => rmSync(dir, { recursive: true }));

describe('the check of answers', () => {
    const journalOf = (...entries: Array<Pick<Entry, 'intent' | 'outcome'>>): Journal => ({
        entries: entries.map((entry, number) => ({ number, actor: 0, gateway: 0, began: 0, ended: 1, ...entry })),
        perform: () => Promise.reject(new Error('this journal performs no writes')),
        of: () => [],
        close: () => {},
    });
    const answered = (status: number, more: Partial<Answer & { tookMs: number }> = {}): Entry['outcome'] => ({
        ...{ status, hasRetryAfter: true, data: {}, tookMs: 5 },
        ...more,
    });
    const rename = { kind: 'rename', name: 'any' } as const;
    const brokenBy = (violations: Violation[]): Invariant[] => violations.map(({ invariant }) => invariant);

    it('reports answers that are undocumented, late or missing', () => {
        const good = [answered(200), answered(503), answered(429)];
        assert.deepEqual(
            checkAnswers(journalOf(...good.map((outcome) => ({ intent: rename, outcome }))), { mayLose: false }),
            [],
        );
        const bad = [
            answered(500),
            answered(404),
            answered(503, { hasRetryAfter: false }),
            answered(200, { tookMs: 20_500 }),
            { lost: 'ECONNRESET', tookMs: 1 },
            undefined,
        ];
        for (const outcome of bad) {
            assert.deepEqual(brokenBy(checkAnswers(journalOf({ intent: rename, outcome }), { mayLose: false })), [
                'I6',
            ]);
        }
        const lost = journalOf({ intent: rename, outcome: { lost: 'ECONNRESET', tookMs: 1 } });
        assert.deepEqual(checkAnswers(lost, { mayLose: true }), []);
    });

    it('reports a revoked key that is accepted during the fault', () => {
        const use = { kind: 'use-revoked-key', keyId: 'any' } as const;
        for (const status of [401, 503]) {
            assert.deepEqual(
                checkAnswers(journalOf({ intent: use, outcome: answered(status) }), { mayLose: false }),
                [],
            );
        }
        const accepted = journalOf({ intent: use, outcome: answered(200) });
        assert.deepEqual(brokenBy(checkAnswers(accepted, { mayLose: false })), ['I2']);
    });

    it('finds an id that was assigned twice', () => {
        const issue = { kind: 'make-key', name: 'any' } as const;
        const made = (keyId: string) => ({ intent: issue, outcome: answered(201, { data: { key_id: keyId } }) });
        assert.deepEqual(checkIds(journalOf(made('one'), made('two'))), []);
        assert.deepEqual(brokenBy(checkIds(journalOf(made('one'), made('one')))), ['I5']);
    });

    it('finds a secret in a file and in a metric', () => {
        const secrets = { 'the internal secret': 'a-secret-of-the-test' };
        const look = (places: string[], texts: Array<[string, string]>): string[] =>
            checkSecrets({ actors: [], secrets, places, texts: new Map(texts) }).map(({ text }) => text);
        const file = join(dir, 'a.log');
        writeFileSync(file, '{"level":30,"msg":"request"}\n');
        assert.deepEqual(look([file], [['the metrics', 'http_requests_total 5']]), []);
        const leaks = [
            newPassword(),
            `cred_test_${'a1'.repeat(16)}`,
            'a-secret-of-the-test',
            `v4.public.${'A'.repeat(60)}`,
        ];
        for (const leak of leaks) {
            writeFileSync(file, `{"level":30,"msg":"${leak}"}\n`);
            assert.equal(look([file], []).length, 1, leak);
            assert.equal(look([], [['the metrics', leak]]).length, 1, leak);
        }
    });
});
