import { stringifyJson } from '../platform/json.ts';
import { MAX_DISCLOSURES } from '../proto/limits.ts';
import { type DisclosurePrimitives, MAX_POINTER_LENGTH, pointerTo, RESERVED_NAMES } from './sd-jwt.ts';

/**
 * Makes claims selectively disclosable (RFC 9901, section 4.2): takes them out of the payload, and leaves the digests of
 * their disclosures. No decoy digests are added: the types of the credentials of this service are known, and with them
 * the number of claims.
 */
export interface Concealed {
    /** The claims with digests in place of what is disclosable. */
    payload: Record<string, unknown>;
    /** All disclosures. Those of the claims in a disclosable claim stand before its own. */
    disclosures: string[];
}

export interface ConcealPrimitives extends Pick<DisclosurePrimitives, 'digest'> {
    /** Returns unpredictable bytes. It is called once. */
    randomBytes(count: number): Uint8Array;
    encodeBase64Url(bytes: Uint8Array): string;
}

/** 128 bits: RFC 9901, section 9.3. */
const SALT_BYTES = 16;
const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** What is disclosable in an object or a list, by its name or index. */
interface Plan {
    /** True if this member or item itself is disclosable. */
    isDisclosable: boolean;
    inside: Map<string, Plan>;
}

/**
 * `claims` is parsed JSON, of at most MAX_JSON_DEPTH levels. `disclosable` are JSON pointers (RFC 6901) to members and to
 * items of lists, at any depth; if it is absent, each member of `claims` is disclosable as a whole. `fault` may be shown
 * to callers.
 */
export function conceal(
    claims: Record<string, unknown>,
    disclosable: readonly string[] | undefined,
    primitives: ConcealPrimitives,
): Concealed | { fault: string } {
    const planned = planOf(claims, disclosable);
    return 'fault' in planned ? planned : new Concealing(planned.count, primitives).run(claims, planned.plan);
}

/** The fault that conceal() finds; undefined if there is none. */
export function concealFault(
    claims: Record<string, unknown>,
    disclosable: readonly string[] | undefined,
): string | undefined {
    const planned = planOf(claims, disclosable);
    return 'fault' in planned ? planned.fault : undefined;
}

type Planned = { plan: Plan; count: number } | { fault: string };

function planOf(claims: Record<string, unknown>, disclosable: readonly string[] | undefined): Planned {
    if (hasReservedName(claims)) {
        return { fault: 'claims may not have members named _sd, _sd_alg or "...".' };
    }
    return disclosable === undefined ? planOfAll(Object.keys(claims)) : planOfSome(claims, disclosable);
}

function planOfAll(names: readonly string[]): Planned {
    if (names.length > MAX_DISCLOSURES) return { fault: `claims may have at most ${MAX_DISCLOSURES} members.` };
    if (names.some((name) => pointerTo('', name).length > MAX_POINTER_LENGTH)) {
        return { fault: `The name of a claim may have at most ${MAX_POINTER_LENGTH - 1} characters.` };
    }
    const inside = new Map(names.map((name) => [name, { isDisclosable: true, inside: new Map() }]));
    return { plan: { isDisclosable: false, inside }, count: names.length };
}

function planOfSome(claims: Record<string, unknown>, disclosable: readonly string[]): Planned {
    if (disclosable.length > MAX_DISCLOSURES) {
        return { fault: `disclosable may name at most ${MAX_DISCLOSURES} claims.` };
    }
    const plan: Plan = { isDisclosable: false, inside: new Map() };
    for (const [i, pointer] of disclosable.entries()) {
        const claim = addTo(plan, claims, pointer);
        if (claim === undefined) return { fault: `disclosable.${i} is not a JSON pointer to a claim.` };
        if (claim.isDisclosable) return { fault: `disclosable.${i} names a claim that another one names.` };
        claim.isDisclosable = true;
    }
    return { plan, count: disclosable.length };
}

class Concealing {
    readonly #primitives: ConcealPrimitives;
    readonly #salts: Uint8Array;
    readonly #disclosures: string[] = [];

    constructor(count: number, primitives: ConcealPrimitives) {
        this.#primitives = primitives;
        this.#salts = primitives.randomBytes(count * SALT_BYTES);
    }

    run(claims: Record<string, unknown>, plan: Plan): Concealed {
        const payload = this.#object(claims, plan);
        return { payload: { ...payload, _sd_alg: 'sha-256' }, disclosures: this.#disclosures };
    }

    #value(value: unknown, plan: Plan): unknown {
        if (plan.inside.size === 0) return value;
        if (!Array.isArray(value)) return this.#object(value as Record<string, unknown>, plan); // addTo() found members
        return value.map((item, index) => {
            const inside = plan.inside.get(String(index));
            if (inside === undefined) return item;
            const shown = this.#value(item, inside);
            return inside.isDisclosable ? { '...': this.#digestOf([shown]) } : shown;
        });
    }

    #object(members: Record<string, unknown>, plan: Plan): Record<string, unknown> {
        const shown: Array<[string, unknown]> = [];
        const digests: string[] = [];
        for (const [name, value] of Object.entries(members)) {
            const inside = plan.inside.get(name);
            const result = inside === undefined ? value : this.#value(value, inside);
            if (inside?.isDisclosable) digests.push(this.#digestOf([name, result]));
            else shown.push([name, result]);
        }
        // Sorted, so that their order says nothing about that of the claims.
        if (digests.length > 0) shown.push(['_sd', digests.sort()]);
        return Object.fromEntries(shown);
    }

    /** Adds the disclosure of a member (its name and value) or of an item (its value). */
    #digestOf(content: readonly unknown[]): string {
        const { encodeBase64Url, digest } = this.#primitives;
        const start = this.#disclosures.length * SALT_BYTES;
        const salt = encodeBase64Url(this.#salts.subarray(start, start + SALT_BYTES));
        const disclosure = encodeBase64Url(new TextEncoder().encode(stringifyJson([salt, ...content])));
        this.#disclosures.push(disclosure);
        return digest(disclosure);
    }
}

/** Returns what a pointer names in the plan; undefined if it names nothing, or all claims. */
function addTo(plan: Plan, claims: Record<string, unknown>, pointer: string): Plan | undefined {
    if (pointer.length > MAX_POINTER_LENGTH) return undefined;
    const [first, ...names] = pointer.split('/');
    if (first !== '' || names.length === 0 || /~(?![01])/.test(pointer)) return undefined;
    let claim = plan;
    let value: unknown = claims;
    for (const written of names) {
        const name = written.replaceAll('~1', '/').replaceAll('~0', '~');
        if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
        if (Array.isArray(value) && !INDEX.test(name)) return undefined;
        value = (value as Record<string, unknown>)[name]; // an own member, or an item
        const inside = claim.inside.get(name) ?? { isDisclosable: false, inside: new Map() };
        claim.inside.set(name, inside);
        claim = inside;
    }
    return claim;
}

/** True if a claim, at any depth, has a name that RFC 9901 reserves. */
function hasReservedName(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) return value.some(hasReservedName);
    return Object.entries(value).some(([name, member]) => RESERVED_NAMES.has(name) || hasReservedName(member));
}
