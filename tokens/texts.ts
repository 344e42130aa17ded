/** True if the text can be stored and signed, and has at most `max` characters (code points). */
export function isText(text: string, max: number): boolean {
    const short = text.length <= max || (text.length <= 2 * max && [...text].length <= max);
    return short && text.isWellFormed() && !text.includes('\0');
}

/** An absolute URI (RFC 3986): a scheme, a colon, and what is behind it. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;

export function isUri(text: string): boolean {
    return URI.test(text);
}
