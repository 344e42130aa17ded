import type { World } from '../world.ts';

/** Asks on the terminal and reads a line without showing it. Undefined if the user gives up (Ctrl-C, Ctrl-D). */
export function promptHidden(question: string, { stdin, stderr }: World): Promise<string | undefined> {
    stderr.write(question);
    stdin.setRawMode?.(true);
    stdin.resume();
    return new Promise((resolve) => {
        let typed = '';
        const finish = (answer: string | undefined) => {
            stdin.off('data', take);
            stdin.setRawMode?.(false);
            stdin.pause();
            stderr.write('\n');
            resolve(answer);
        };
        const take = (chunk: Buffer | string) => {
            for (const character of chunk.toString()) {
                if (character === '\r' || character === '\n') return finish(typed);
                if (character === '\u0003' || character === '\u0004') return finish(undefined);
                if (character === '\u007f' || character === '\b') typed = Array.from(typed).slice(0, -1).join('');
                else typed += character;
            }
        };
        stdin.on('data', take);
    });
}
