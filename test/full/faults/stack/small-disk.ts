import { mkdirSync } from 'node:fs';
import { runProgram } from '../../../../deploy/local/databases/run-program.ts';
import type { FaultEnvironment } from './stack.ts';

/** Returns why no small file system can be mounted here, or undefined if it can. */
export function diskObstacle(): string | undefined {
    return process.getuid?.() === 0 ? undefined : 'only root can mount a small file system';
}

/** Mounts an empty file system of `mebibytes` at `folder`, until the end of the scenario. */
export async function mountSmallDisk(folder: string, mebibytes: number, { closing }: FaultEnvironment): Promise<void> {
    mkdirSync(folder, { recursive: true });
    const options = ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0711`, 'tmpfs', folder];
    await runProgram(['mount', ...options], { timeout_ms: 10_000 });
    closing.defer(async () => void (await runProgram(['umount', '--lazy', folder], { timeout_ms: 10_000 })));
}

/** Fills the file system of `folder`. Returns a function that frees the space. */
export async function fillDisk(folder: string): Promise<() => Promise<void>> {
    const file = `${folder}/filler`;
    // dd fails when the disk is full, as intended. Small blocks leave no free space.
    await runProgram(['dd', 'if=/dev/zero', `of=${file}`, 'bs=4k'], { timeout_ms: 60_000 }).catch(() => undefined);
    return async () => void (await runProgram(['rm', '-f', file], { timeout_ms: 10_000 }));
}
