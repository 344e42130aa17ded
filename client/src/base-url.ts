/**
 * Returns a URL to which paths are appended, without slashes at its end. Throws TypeError if no request can use it. The
 * message does not repeat it, because it may contain a secret.
 */
export function readBaseUrl(given: string): string {
    const url = URL.canParse(given) && !/[?#]/.test(given) ? new URL(given) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
        throw new TypeError(
            'base_url must be an http or https URL without a user name, a password, a query and a fragment.',
        );
    }
    const { origin, pathname } = url;
    let end = pathname.length;
    while (pathname[end - 1] === '/') end--;
    return origin + pathname.slice(0, end);
}
