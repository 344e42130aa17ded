/**
 * The leaves of the audit's Merkle tree, as texts. Whoever has the rows can make the same texts, and so the same tree. A
 * leaf has the hash of the data and not the data, so that it stays the same when the account is erased.
 */

/** A row of the events, in the form in which the service shows it. */
export interface AuditedRow {
    account: string;
    last_seq: number;
    count: number;
    type: string;
    timestamp: string;
    /** Who caused the events. Undefined for those of an earlier release, whose leaves have another form. */
    actor?: string | undefined;
    /** SHA-256 of dataText, in hexadecimal. */
    data_sha256: string;
}

/** The end of what was appended in one transaction. */
export interface AuditedSeal {
    /** The size of the last checkpoint before it; 0 if there is none. So none can be left out unnoticed. */
    checkpoint: number;
    sealed_at: string;
}

export function rowLeaf({ account, last_seq, count, type, timestamp, actor, data_sha256 }: AuditedRow): string {
    const row = [account, last_seq, count, type, timestamp, data_sha256];
    return JSON.stringify(actor === undefined ? ['row', ...row] : ['row-2', ...row, actor]);
}

export function sealLeaf({ checkpoint, sealed_at }: AuditedSeal): string {
    return JSON.stringify(['seal', checkpoint, sealed_at]);
}

/** The data of the events of a row: JSON without blanks, the members in the order of their names (RFC 8785). */
export function dataText(data: readonly object[]): string {
    return JSON.stringify(data.map(inOrder));
}

/** The members in the order of their names. Nearly all objects have it already, and to look costs less than to sort. */
function inOrder(item: object): object {
    let last = '';
    for (const name in item) {
        if (name < last)
            return Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)));
        last = name;
    }
    return item;
}
