#!/usr/bin/env node
import { run } from './run.ts';

// Whoever reads the output may stop early (`| head -1`). Then nobody is left to print for.
for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
        process.exit();
    });
}

const { stdin, stdout, stderr } = process;
process.exitCode = await run(process.argv.slice(2), { env: process.env, stdin, stdout, stderr });
// An input that was not read to its end must not keep the process alive.
stdin.destroy();
