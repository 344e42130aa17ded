import { type ClosedLoopPlan, closedLoop } from './closed-loop.ts';
import { readRequests } from './requests.ts';

/** The load's own process: takes one plan over IPC, says when counting begins, and answers with the result. */

export interface LoadPlan extends ClosedLoopPlan {
    requests_file: string;
}

process.once('message', async (plan: LoadPlan) => {
    const requests = readRequests(plan.requests_file);
    let cpu_before = process.cpuUsage();
    const counted = await closedLoop(plan, requests, () => {
        cpu_before = process.cpuUsage();
        process.send?.({ began: true });
    });
    const { user, system } = process.cpuUsage(cpu_before);
    process.send?.({ result: counted.result(), cpu_s: (user + system) / 1e6 }, () => process.disconnect());
});
