#!/usr/bin/env node
import { EXIT, fileError } from './errors.ts';
import { run } from './run.ts';

const { stdin, stdout, stderr } = process;

for (const [stream, name] of [
    [stdout, 'Standard output'],
    [stderr, 'Standard error'],
] as const) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
        // Whoever reads the output may stop early (`| head -1`).
        if (error.code === 'EPIPE') process.exit(EXIT.noReader);
        stderr.write(`cred: ${fileError(name, error).message}\n`);
        process.exit(EXIT.service);
    });
}

const interrupt = (): void => void process.kill(process.pid, 'SIGINT');
process.exitCode = await run(process.argv.slice(2), { env: process.env, stdin, stdout, stderr, interrupt });
// An input that was not read to its end must not keep the process alive.
stdin.destroy();
