import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const LOG_DIR = process.env['E2E_LOG_DIR'] as string; // test/run.ts gives it

/** The lines that the service has logged of these requests, once there is one of each. */
export async function linesOf(request_ids: string[]): Promise<string[]> {
    const give_up = performance.now() + 5_000;
    for (;;) {
        const files = readdirSync(LOG_DIR).filter((name) => name.startsWith(`${process.env['E2E_TRANSPORT']}-`));
        const lines = files.flatMap((name) => readFileSync(join(LOG_DIR, name), 'utf8').split('\n'));
        const found = lines.filter((line) => request_ids.some((id) => line.includes(id)));
        if (found.length >= request_ids.length) return found;
        assert.ok(performance.now() < give_up, `only ${found.length} lines`);
        await delay(20);
    }
}
