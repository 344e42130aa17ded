import { setTimeout as delay } from 'node:timers/promises';
import { coloured } from '../terminal/text.ts';
import type { World } from '../world.ts';

/** Shows on a terminal how far a batch is. Anywhere else it prints nothing. */
export interface Progress {
    count(done: number, failed: number): void;
    /** Waits, and says why. */
    pause(seconds: number, why: string): Promise<void>;
    clear(): void;
}

export function progressOn({ stderr, env }: World, total: number): Progress {
    let state = '';
    const show = (text: string): void => {
        if (stderr.isTTY) stderr.write(`\r\u001b[K${text}`);
    };
    return {
        count(done, failed) {
            const bad = failed > 0 ? `, ${coloured(`${inWords(failed)} failed`, 'red', { stdout: stderr, env })}` : '';
            state = `${inWords(done)} of ${inWords(total)} items${bad}`;
            show(state);
        },
        async pause(seconds, why) {
            show(`${state || 'nothing yet'}, waiting ${seconds} s ${why}`);
            await delay(seconds * 1_000);
            show(state);
        },
        clear: () => show(''),
    };
}

/** A number with commas: 10,000. */
export const inWords = (number: number): string => number.toLocaleString('en-US');
