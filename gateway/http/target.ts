/**
 * Converts a request target to origin form (RFC 9112, section 3.2): `http://host/path`, which a proxy may send, becomes
 * `/path`. `*` is kept.
 */
export function originForm(target: string): string {
    const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
    return path.startsWith('/') || path === '*' ? path : `/${path}`;
}

/**
 * Converts the target to one that Express can route. If an escape in the path is malformed, each `%` of the path is
 * taken literally. The request then finds its route, is authenticated and counted like any other, and is refused after
 * that.
 */
export function routable(target: string): { url: string; malformed: boolean } {
    const end = target.indexOf('?');
    const path = end < 0 ? target : target.slice(0, end);
    if (isDecodable(path)) return { url: target, malformed: false };
    return { url: path.replaceAll('%', '%25') + target.slice(path.length), malformed: true };
}

function isDecodable(path: string): boolean {
    if (!path.includes('%')) return true;
    try {
        decodeURIComponent(path);
        return true;
    } catch {
        return false;
    }
}
