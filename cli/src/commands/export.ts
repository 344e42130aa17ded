import { open, unlink } from 'node:fs/promises';
import { written } from '../batch/results.ts';
import { command } from '../command.ts';
import { CliError, EXIT, fileError } from '../errors.ts';
import { fieldsReport } from '../report.ts';
import { jsonLine } from '../terminal/text.ts';

/** So many characters of lines are written at a time. */
const CHUNK_LENGTH = 1 << 16;

type Write = (text: string) => Promise<void>;

export const accountExport = command({
    name: 'account export',
    summary: 'Export what the service stores about the account',
    details:
        'Prints a line of JSON for each object, and at last a line with their numbers. Needs a session. It has no secrets, and not what is in wallets.',
    options: {
        output: { value: 'FILE', summary: 'A new file, which only you can read; else standard output', file: true },
    },
    examples: [{ line: 'cred account export --output account.ndjson' }],
    async run({ options: { output }, world, service }) {
        const { me } = await service();
        if (output === undefined) {
            await writeLines(me.export(), (text) => written(world.stdout, text));
            return {};
        }
        const { counts } = await intoFile(output, (write) => writeLines(me.export(), write));
        return fieldsReport({ file: output, counts }, { file: output, ...counts });
    },
});

/** Writes the lines of an export. Returns the last one. Throws CliError if that is missing. */
export async function writeLines<Line extends { kind: string }>(
    lines: AsyncIterable<Line>,
    write: Write,
): Promise<Extract<Line, { kind: 'end' }>> {
    let end: Extract<Line, { kind: 'end' }> | undefined;
    let text = '';
    for await (const line of lines) {
        if (line.kind === 'end') end = line as Extract<Line, { kind: 'end' }>; // the kind says so
        text += jsonLine(line);
        if (text.length < CHUNK_LENGTH) continue;
        await write(text);
        text = '';
    }
    await write(text);
    if (end) return end;
    throw new CliError('The export broke off before its last line. Try again.', EXIT.service);
}

/** Lets `work` write to a new file. If it fails, there is no file. */
export async function intoFile<Result>(path: string, work: (write: Write) => Promise<Result>): Promise<Result> {
    const failed = (error: unknown, exitCode?: number): never => {
        throw fileError(path, error, exitCode);
    };
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => failed(error));
    try {
        return await work((text) => file.writeFile(text).catch((error: unknown) => failed(error, EXIT.service)));
    } catch (error) {
        await unlink(path);
        throw error;
    } finally {
        await file.close();
    }
}
