const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * True if the text is a UUID in lower-case canonical form, the only form in use. The version does not matter: an
 * invented UUID is a valid id of something that does not exist.
 */
export function isId(text: string): boolean {
    return text.length === 36 && UUID.test(text);
}
