import type { Client } from '../../../client/src/client.ts';
import { aStatusList } from './world.ts';

/** Examples of the endpoints that anybody may call to read status lists. */
export const statusListExamples = {
    'status_lists.list': async () => ({ run: ({ statusLists }: Client) => statusLists.list() }),
    'status_lists.get': async () => {
        const listId = await aStatusList();
        return { run: ({ statusLists }: Client) => statusLists.get({ list_id: listId }) };
    },
};
