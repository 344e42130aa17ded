import { z } from 'zod';
import { TTL_SECONDS } from '../../proto/limits.ts';
import { endpoint } from '../endpoint.ts';
import type { KeptDocuments } from '../kept-documents.ts';
import { statusLists } from '../status-lists.ts';

/** The endpoints of the status lists. They share what the gateway knows about the lists. */
const KEPT =
    'A revocation is in the list that is fetched 15 s later (`STATUS_LIST_SECONDS`). Clients and proxies may keep the answer for 60 s. Calls count against the limit of their address.';

export function statusListEndpoints(documents: KeptDocuments) {
    const lists = statusLists(documents);
    return [
        endpoint({
            id: 'status_lists.list',
            summary: 'Get the addresses of all status lists',
            description: 'For programs that keep a copy of all lists.',
            method: 'GET',
            path: '/v1/status-lists',
            access: 'anonymous',
            status: 200,
            message: 'Status lists',
            document: { contentType: 'application/json; charset=utf-8', maxAgeSeconds: TTL_SECONDS },
            answer: z.object({ status_lists: z.array(z.string()) }),
            call: ({ services, context }) => lists.list(services, context),
        }),

        endpoint({
            id: 'status_lists.get',
            summary: 'Get a status list',
            description: `A Token Status List of the IETF: a JWT with a compressed bit for each credential, which is 1 if the credential was revoked. ${KEPT}`,
            method: 'GET',
            path: '/v1/status-lists/{list_id}',
            access: 'anonymous',
            status: 200,
            message: 'Status list',
            document: { contentType: 'application/statuslist+jwt', maxAgeSeconds: TTL_SECONDS },
            params: z.object({ list_id: z.string() }),
            query: z.object({
                time: z
                    .string()
                    .refine(() => false, 'is not supported: only the current list is kept')
                    .optional(),
            }),
            answer: z.string(),
            call: ({ params, services, context }) => lists.get(params.list_id, services, context),
        }),
    ];
}
