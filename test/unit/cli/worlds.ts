import { Readable, Writable } from 'node:stream';
import { run } from '../../../cli/src/run.ts';

/** What a run of the program has printed, and its exit code. */
interface Ran {
    code: number;
    stdout: string;
    stderr: string;
}

/** Runs the program in this process. */
export async function ran(
    args: readonly string[],
    { input = '', env = {}, isTTY = false }: { input?: string; env?: Record<string, string>; isTTY?: boolean } = {},
): Promise<Ran> {
    const printed = { stdout: '', stderr: '' };
    const stream = (name: keyof typeof printed) =>
        Object.assign(
            new Writable({
                write(chunk, _encoding, done) {
                    printed[name] += String(chunk);
                    done();
                },
            }),
            { isTTY },
        );
    const world = {
        env: { XDG_CONFIG_HOME: '/nonexistent', CRED_URL: 'http://127.0.0.1:9', ...env },
        stdin: Object.assign(Readable.from(input === '' ? [] : [Buffer.from(input)]), { isTTY }),
        stdout: stream('stdout'),
        stderr: stream('stderr'),
        interrupt() {
            printed.stderr += 'interrupted';
        },
    };
    const code = await run(args, world);
    return { code, ...printed };
}
