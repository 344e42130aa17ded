import type { StatusList } from './rows.ts';

/** The address of a list. Credentials and the list itself contain it. */
export function uriOf({ public_url, list_id }: Pick<StatusList, 'public_url' | 'list_id'>): string {
    return `${public_url}/v1/status-lists/${list_id}`;
}
