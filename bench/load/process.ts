import { type ClosedLoopPlan, closedLoop } from './closed-loop.ts';
import { type OpenLoopPlan, openLoop } from './open-loop.ts';
import { readRequests } from './requests.ts';

/** The load's own process: takes one plan over IPC, says when counting begins, and answers with the result. */

export type LoadPlan = (ClosedLoopPlan | OpenLoopPlan) & { requests_file: string };

process.once('message', async (plan: LoadPlan) => {
    const requests = readRequests(plan.requests_file);
    let cpu_before = process.cpuUsage();
    const onBegin = (): void => {
        cpu_before = process.cpuUsage();
        process.send?.({ began: true });
    };
    const result = 'rate' in plan ? await openLoop(plan, requests, onBegin) : await closedLoop(plan, requests, onBegin);
    const { user, system } = process.cpuUsage(cpu_before);
    process.send?.({ result, cpu_s: (user + system) / 1e6 }, () => process.disconnect());
});
