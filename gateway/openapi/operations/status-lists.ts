import type { OperationNotes } from '../operation.ts';
import { STATUS_LIST, STATUS_LIST_ID, STATUS_LIST_URI } from '../samples.ts';

export const statusListOperations = {
    'status_lists.list': {
        owasp: { objects: 'public' },
        fields: { status_lists: 'Addresses of the lists, newest first.' },
        example: { data: { status_lists: [STATUS_LIST_URI] } },
    },
    'status_lists.get': {
        refusals: { not_found: 'There is no status list with this id.' },
        owasp: { objects: 'public' },
        fields: {
            list_id: 'Id of a status list.',
            time: 'Not supported: a list of an earlier time is refused with 400.',
        },
        example: { params: { list_id: STATUS_LIST_ID }, data: STATUS_LIST },
    },
} satisfies Record<string, OperationNotes>;
