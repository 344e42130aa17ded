/** The names of the limiter's Redis keys. `tag` is the shard tag of the account or address. */

/** The window of an API key's calls. */
export function keyBucket(tag: string, account: string, keyId: string): string {
    return `window:${tag}:${account}:key:${keyId}`;
}

/** The window of all session calls of an account. */
export function sessionsBucket(tag: string, account: string): string {
    return `window:${tag}:${account}:sessions`;
}

/** A window of what an address does without a valid credential. */
export function addressBucket(tag: string, what: 'calls' | 'lookups', address: string): string {
    return `window:${tag}:address:${what}:${address}`;
}

/** The window of the calls with an access token of a wallet. `name` is its hash. */
export function walletBucket(tag: string, name: string): string {
    return `window:${tag}:wallet:${name}`;
}

/** Holds the name of the shard's current epoch (limit.lua). */
export function epochKey(tag: string): string {
    return `era:${tag}`;
}
