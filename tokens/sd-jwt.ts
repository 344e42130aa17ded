import { MAX_JSON_DEPTH, MAX_JSON_KEYS } from '../platform/json.ts';
import { MAX_DISCLOSURES } from '../proto/limits.ts';
import { jsonOf } from './jws.ts';
import { MAX_TOKEN_LENGTH, type TokenPrimitives } from './v4-public.ts';

/**
 * SD-JWT (RFC 9901): a JWT in which the digests of claims stand in place of the claims. Behind it come the disclosures
 * that the holder wants to show: `<JWT>~<disclosure>~…~`, and maybe a JWT with which the holder proves that the token is
 * hers (key-binding.ts).
 */
export interface SdJwtParts {
    /** The JWT that the issuer has signed. */
    jwt: string;
    disclosures: readonly string[];
    /** The JWT that the holder has signed, and what her signature covers: all that stands before it. */
    binding: { jwt: string; covered: string } | undefined;
}

export interface DisclosurePrimitives extends Pick<TokenPrimitives, 'decodeBase64Url' | 'decodeUtf8'> {
    /** Returns the SHA-256 of an ASCII text, in base64url. */
    digest(text: string): string;
}

/** The payload of an SD-JWT with the disclosed claims in their places. */
interface Processed {
    payload: Record<string, unknown>;
    /** Which claims were disclosed: JSON pointers (RFC 6901) into `payload`. */
    disclosed: string[];
}

/**
 * Maximum length of the JSON pointer to a disclosable claim, in characters. Beyond it: `invalid` when the token is made,
 * and it does not verify.
 */
export const MAX_POINTER_LENGTH = 1_024;

/** The base64url of a JSON object begins with `e`, and a v4.public token with `v`: one character tells them apart. */
const SHAPE = /^e[\w-]*\.[\w-]+\.[\w-]+~[\w.~-]*$/;
/** The members that RFC 9901 defines. No claim may have the name of one. */
const DIGESTS = '_sd';
const PLACEHOLDER = '...';
const ALGORITHM = '_sd_alg';
export const RESERVED_NAMES: ReadonlySet<unknown> = new Set([DIGESTS, PLACEHOLDER, ALGORITHM]);

/** True if the text looks like an SD-JWT. This says nothing about its signature. */
export function isSdJwt(text: string): boolean {
    return text.length <= MAX_TOKEN_LENGTH && SHAPE.test(text);
}

/** Splits a token. Undefined if its shape is wrong, or if it has more than MAX_DISCLOSURES. */
export function splitSdJwt(token: string): SdJwtParts | undefined {
    if (!isSdJwt(token)) return undefined;
    const [jwt = '', ...disclosures] = token.split('~', MAX_DISCLOSURES + 3);
    const last = disclosures.pop() ?? '';
    if (disclosures.length > MAX_DISCLOSURES || disclosures.some((text) => text === '' || text.includes('.'))) {
        return undefined;
    }
    const covered = token.slice(0, token.length - last.length);
    return { jwt, disclosures, binding: last === '' ? undefined : { jwt: last, covered } };
}

/**
 * Puts the disclosed claims in their places (RFC 9901, section 7.1). Nothing here verifies a signature. `fault` may be
 * shown to callers. The time it takes is proportional to the length of payload and disclosures.
 */
export function processDisclosures(
    payload: Record<string, unknown>,
    disclosures: readonly string[],
    primitives: DisclosurePrimitives,
): Processed | { fault: string } {
    const algorithm = payload[ALGORITHM];
    if (algorithm !== undefined && algorithm !== 'sha-256') return { fault: '_sd_alg is not sha-256' };
    try {
        return new Processing(disclosures, primitives).run(payload);
    } catch (error) {
        if (error instanceof DisclosureError) return { fault: error.message };
        throw error;
    }
}

class DisclosureError extends Error {
    override readonly name = 'DisclosureError';
}

class Processing {
    /** The disclosures by their digests. Those that are in their place are undefined. */
    readonly #contents = new Map<string, readonly unknown[] | undefined>();
    readonly #digests = new Set<string>();
    readonly #disclosed: string[] = [];
    #keys = 0;

    constructor(disclosures: readonly string[], primitives: DisclosurePrimitives) {
        for (const disclosure of disclosures) {
            const digest = primitives.digest(disclosure);
            if (this.#contents.has(digest)) throw new DisclosureError('a disclosure stands twice in it');
            const content = jsonOf(primitives.decodeBase64Url(disclosure), primitives);
            if (!Array.isArray(content) || typeof content[0] !== 'string') {
                throw new DisclosureError('a disclosure is not a JSON array that begins with a salt');
            }
            this.#contents.set(digest, content);
        }
    }

    run(payload: Record<string, unknown>): Processed {
        const { [ALGORITHM]: _, ...claims } = payload;
        const processed = this.#object(claims, '', 1);
        for (const content of this.#contents.values()) {
            if (content !== undefined) throw new DisclosureError('a disclosure belongs to no digest in it');
        }
        return { payload: processed, disclosed: this.#disclosed };
    }

    /** Returns what stands under a name, or an index, in an object or a list. `depth` is that of the value. */
    #value(value: unknown, parent: string, name: string, depth: number): unknown {
        if (typeof value !== 'object' || value === null) return value;
        if (depth > MAX_JSON_DEPTH) throw new DisclosureError(`it is nested deeper than ${MAX_JSON_DEPTH} levels`);
        const pointer = pointerTo(parent, name);
        if (Array.isArray(value)) return this.#array(value, pointer, depth);
        return this.#object(value as Record<string, unknown>, pointer, depth); // parsed JSON
    }

    #object(sent: Record<string, unknown>, pointer: string, depth: number): Record<string, unknown> {
        const members = new Map<string, unknown>();
        for (const [name, value] of Object.entries(sent)) {
            if (name === DIGESTS) continue;
            if (RESERVED_NAMES.has(name)) throw new DisclosureError(`${name} stands where it means nothing`);
            members.set(name, this.#value(value, pointer, name, depth + 1));
        }
        for (const digest of Object.hasOwn(sent, DIGESTS) ? textsOf(sent[DIGESTS]) : []) {
            const content = this.#take(digest);
            if (content === undefined) continue;
            const [, name, value] = content;
            if (content.length !== 3 || typeof name !== 'string') {
                throw new DisclosureError('the disclosure of a member is not a salt, a name and a value');
            }
            if (RESERVED_NAMES.has(name)) throw new DisclosureError(`a disclosed claim has the name ${name}`);
            if (members.has(name)) throw new DisclosureError('a disclosed claim is already there');
            this.#note(pointer, name);
            members.set(name, this.#value(value, pointer, name, depth + 1));
        }
        this.#keys += members.size;
        if (this.#keys > MAX_JSON_KEYS) throw new DisclosureError(`it has more than ${MAX_JSON_KEYS} keys`);
        return Object.fromEntries(members);
    }

    #array(sent: readonly unknown[], pointer: string, depth: number): unknown[] {
        const items: unknown[] = [];
        for (const item of sent) {
            const digest = placeholderIn(item);
            const index = String(items.length);
            if (digest === undefined) {
                items.push(this.#value(item, pointer, index, depth + 1));
                continue;
            }
            const content = this.#take(digest);
            if (content === undefined) continue;
            if (content.length !== 2) throw new DisclosureError('the disclosure of an item is not a salt and a value');
            this.#note(pointer, index);
            items.push(this.#value(content[1], pointer, index, depth + 1));
        }
        return items;
    }

    /** Returns the content of the disclosure with this digest, if the holder shows it. */
    #take(digest: string): readonly unknown[] | undefined {
        if (this.#digests.has(digest)) throw new DisclosureError('a digest stands twice in it');
        this.#digests.add(digest);
        const content = this.#contents.get(digest);
        if (content !== undefined) this.#contents.set(digest, undefined);
        return content;
    }

    /** Notes that a claim was disclosed. */
    #note(parent: string, name: string): void {
        const pointer = pointerTo(parent, name);
        if (pointer.length > MAX_POINTER_LENGTH) {
            throw new DisclosureError(
                `the pointer to a disclosed claim has more than ${MAX_POINTER_LENGTH} characters`,
            );
        }
        this.#disclosed.push(pointer);
    }
}

/** Returns the digest that stands in an array in place of an item. */
function placeholderIn(item: unknown): string | undefined {
    if (typeof item !== 'object' || item === null || !Object.hasOwn(item, PLACEHOLDER)) return undefined;
    const { [PLACEHOLDER]: digest, ...more } = item as Record<string, unknown>; // parsed JSON
    if (typeof digest === 'string' && Object.keys(more).length === 0) return digest;
    throw new DisclosureError(`${PLACEHOLDER} is not alone, or no digest`);
}

function textsOf(value: unknown): readonly string[] {
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw new DisclosureError(`${DIGESTS} is not a list of texts`);
}

/** Returns the JSON pointer to a member or item of what `pointer` names. `''` names the whole. */
export function pointerTo(pointer: string, name: string): string {
    return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
