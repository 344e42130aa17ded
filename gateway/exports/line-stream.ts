import type { CallContext } from '../../platform/context.ts';

/** The answer of an endpoint as lines of JSON. */
export class LineStream {
    /** Reads the objects of the lines, page after page. */
    readonly pages: (context: CallContext) => AsyncIterable<readonly object[]>;

    constructor(pages: LineStream['pages']) {
        this.pages = pages;
    }
}
