import { open, unlink } from 'node:fs/promises';
import type { Client, MeExportData } from '../../../client/src/client.ts';
import { written } from '../batch/results.ts';
import { command } from '../command.ts';
import { CliError, EXIT, fileError } from '../errors.ts';
import { fieldsReport } from '../report.ts';
import { jsonLine } from '../terminal/text.ts';

/** So many characters of lines are written at a time. */
const CHUNK_LENGTH = 1 << 16;

type Counts = Extract<MeExportData, { kind: 'end' }>['counts'];
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
        const client = await service();
        if (output === undefined) {
            await exported(client, (text) => written(world.stdout, text));
            return {};
        }
        const counts = await intoFile(output, (write) => exported(client, write));
        return fieldsReport({ file: output, counts }, { file: output, ...counts });
    },
});

/** Writes the lines of an export. Returns the numbers in its last line. Throws CliError if that is missing. */
async function exported({ me }: Client, write: Write): Promise<Counts> {
    let counts: Counts | undefined;
    let text = '';
    for await (const line of me.export()) {
        if (line.kind === 'end') ({ counts } = line);
        text += jsonLine(line);
        if (text.length < CHUNK_LENGTH) continue;
        await write(text);
        text = '';
    }
    await write(text);
    if (counts) return counts;
    throw new CliError('The export broke off before its last line. Try again.', EXIT.service);
}

/** Lets `work` write to a new file. If it fails, there is no file. */
async function intoFile<Result>(path: string, work: (write: Write) => Promise<Result>): Promise<Result> {
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
