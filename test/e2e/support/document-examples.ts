import type { Client } from '../../../client/src/client.ts';
import { aManagedIssuer, aStatusList } from './world.ts';

/** Examples of the endpoints whose documents anybody may read. */
export const documentExamples = {
    'issuers.document': async () => {
        const { issuer_id } = await aManagedIssuer();
        return { run: ({ issuers }: Client) => issuers.document({ issuer_id }) };
    },
    'status_lists.list': async () => ({ run: ({ statusLists }: Client) => statusLists.list() }),
    'status_lists.get': async () => {
        const listId = await aStatusList();
        return { run: ({ statusLists }: Client) => statusLists.get({ list_id: listId }) };
    },
};
