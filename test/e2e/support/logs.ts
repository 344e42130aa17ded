import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const LOG_DIR = process.env['E2E_LOG_DIR'] as string; // test/run.ts sets it

/** Waits until the service has logged a line for each of these requests. Returns the lines. */
export async function linesOf(requestIds: string[]): Promise<string[]> {
    const giveUp = performance.now() + 5_000;
    for (;;) {
        const files = readdirSync(LOG_DIR).filter((name) => name.startsWith(`${process.env['E2E_TRANSPORT']}-`));
        const lines = files.flatMap((name) => readFileSync(join(LOG_DIR, name), 'utf8').split('\n'));
        const found = lines.filter((line) => requestIds.some((id) => line.includes(id)));
        if (found.length >= requestIds.length) return found;
        assert.ok(performance.now() < giveUp, `only ${found.length} log lines found`);
        await delay(20);
    }
}
