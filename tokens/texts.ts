/** True if the text can be stored and signed, and has at most `max` characters (code points). */
export function isText(text: string, max: number): boolean {
    const short = text.length <= max || (text.length <= 2 * max && [...text].length <= max);
    return short && text.isWellFormed() && !text.includes('\0');
}
