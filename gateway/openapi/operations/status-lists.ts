import type { OperationNotes } from '../operation.ts';
import { STATUS_LIST, STATUS_LIST_ID, STATUS_LIST_URI } from '../samples.ts';

const KEPT =
    'A revocation is in the list that is fetched 15 s later (`STATUS_LIST_SECONDS`). Clients and proxies may keep the answer for 60 s. Calls count against the limit of their address.';

export const statusListOperations = {
    'status_lists.list': {
        summary: 'Get the addresses of all status lists',
        description: 'For programs that keep a copy of all lists.',
        owasp: { objects: 'public' },
        fields: { status_lists: 'Addresses of the lists, newest first.' },
        example: { data: { status_lists: [STATUS_LIST_URI] } },
    },
    'status_lists.get': {
        summary: 'Get a status list',
        description: `A Token Status List of the IETF: a JWT with a compressed bit for each credential, which is 1 if the credential was revoked. ${KEPT}`,
        refusals: { not_found: 'There is no status list with this id.' },
        owasp: { objects: 'public' },
        fields: {
            list_id: 'Id of a status list.',
            time: 'Not supported: a list of an earlier time is refused with 400.',
        },
        example: { params: { list_id: STATUS_LIST_ID }, data: STATUS_LIST },
    },
} satisfies Record<string, OperationNotes>;
