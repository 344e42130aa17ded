/**
 * The CPU time that this process has used, in milliseconds. Unlike the time of a clock, it does not depend on what else
 * the machine does.
 */
export function cpuMs(): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
}
