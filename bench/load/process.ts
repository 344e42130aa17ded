import { type ClosedLoopPlan, closedLoop } from './closed-loop.ts';
import { type OpenLoopPlan, openLoop } from './open-loop.ts';
import { readRequests } from './requests.ts';

/** The load process. It receives one plan over IPC, reports when counting begins, and answers with the result. */

export type LoadPlan = (ClosedLoopPlan | OpenLoopPlan) & { requestsFile: string };

process.once('message', async (plan: LoadPlan) => {
    const requests = readRequests(plan.requestsFile);
    let cpuBefore = process.cpuUsage();
    const onBegin = (): void => {
        cpuBefore = process.cpuUsage();
        process.send?.({ began: true });
    };
    const result = 'rate' in plan ? await openLoop(plan, requests, onBegin) : await closedLoop(plan, requests, onBegin);
    const { user, system } = process.cpuUsage(cpuBefore);
    process.send?.({ result, cpuS: (user + system) / 1e6 }, () => process.disconnect());
});
