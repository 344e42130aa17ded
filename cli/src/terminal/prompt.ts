import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { World } from '../world.ts';

/**
 * Asks on the terminal and reads a line without showing it. The keys that edit a line work. Undefined if the user gives
 * up with Ctrl-D. Ctrl-C ends the process.
 */
export function promptHidden(question: string, { stdin, stderr, interrupt }: World): Promise<string | undefined> {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
    stderr.write(question); // from here on the terminal hides what is typed
    return new Promise((resolve) => {
        const finish = (typed?: string) => {
            resolve(typed);
            lines.close();
        };
        lines.once('line', finish);
        lines.once('close', () => {
            stderr.write('\n');
            resolve(undefined);
        });
        lines.once('SIGINT', () => {
            lines.removeAllListeners('close').close(); // the terminal shows again what is typed
            stderr.write('\n');
            interrupt();
        });
    });
}
