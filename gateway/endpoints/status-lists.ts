import { z } from 'zod';
import { TTL_SECONDS } from '../../proto/limits.ts';
import { endpoint } from '../endpoint.ts';
import type { KeptDocuments } from '../kept-documents.ts';
import { statusLists } from '../status-lists.ts';

/** The endpoints of the status lists. They share what the gateway knows about the lists. */
export function statusListEndpoints(documents: KeptDocuments) {
    const lists = statusLists(documents);
    return [
        endpoint({
            id: 'status_lists.list',
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
