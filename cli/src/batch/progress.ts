import { coloured } from '../terminal/text.ts';
import type { World } from '../world.ts';

/** Shows on a terminal how far a batch is. Anywhere else it prints nothing. */
export interface Progress {
    count(done: number, failed: number): void;
    waiting(seconds: number, why: string): void;
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
        waiting: (seconds, why) => show(`${state || 'begins'}, waits ${seconds} s ${why}`),
        clear: () => show(''),
    };
}

/** A number with commas: 10,000. */
export const inWords = (number: number): string => number.toLocaleString('en-US');
