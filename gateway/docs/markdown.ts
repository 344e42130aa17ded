import { Marked } from 'marked';

/** Converts Markdown to HTML. `linkOf` returns the address of a link. If it is undefined, only the text is shown. */
export function markdown(source: string, linkOf = (href: string): string | undefined => href): string {
    const marked = new Marked({
        renderer: {
            heading({ tokens, depth, text }) {
                return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
            },
            link({ href, tokens }) {
                const shown = this.parser.parseInline(tokens);
                const to = linkOf(href);
                return to === undefined ? shown : `<a href="${escaped(to)}">${shown}</a>`;
            },
            html: ({ text }) => escaped(text),
        },
    });
    return marked.parse(source, { async: false });
}

/** The anchor of a heading, as GitHub makes it, so that the links in our documents lead to it. */
export function anchorOf(heading: string): string {
    return heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-');
}

export function escaped(raw: string): string {
    return raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Converts `code` in a text to HTML. */
export function text(raw: string): string {
    return escaped(raw).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
