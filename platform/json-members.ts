/** Names the members whose texts are cut out of a JSON text. */
export interface WantedMembers {
    /** Names of members of the outermost object. */
    names: ReadonlySet<string>;
    /** The name of a list in the outermost object. The members of the objects in this list are wanted too. */
    list?: string | undefined;
}

/** The text of a wanted member, if its value is an object or a string. */
export interface MemberText {
    name: string;
    /** The index of its object in the list. Undefined for a member of the outermost object. */
    item: number | undefined;
    text: string;
}

/** An object in the list is this many levels deeper than the outermost object. */
const LIST_LEVELS = 2;
const QUOTE = 0x22;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Cuts the texts of wanted members out of a JSON text while scanJson() reads it. A depth is the number of open objects
 * and arrays.
 */
export class MemberTexts {
    readonly found: MemberText[] = [];
    readonly #text: string;
    readonly #wanted: WantedMembers;
    /** The wanted member that is being read, where its value begins, and the depth of its object. */
    #name: string | undefined;
    #start = 0;
    #depth = 0;
    /** True if the last member of the outermost object is the list. */
    #isInList = false;
    /** The index of the current item of the list. */
    #item = 0;

    constructor(text: string, wanted: WantedMembers) {
        this.#text = text;
        this.#wanted = wanted;
    }

    /** The number of levels above the current object that do not belong to it: those of the list. */
    get levelsAbove(): number {
        return this.#isInList ? LIST_LEVELS : 0;
    }

    /** True if a member of an object at this depth may be wanted. */
    mayWant(depth: number): boolean {
        return this.#wanted.names.size > 0 && (depth === 1 || (this.#isInList && depth === 1 + LIST_LEVELS));
    }

    /** Notes a member at a depth for which mayWant() is true. `start` is the index of its value. */
    begin(name: string, depth: number, start: number): void {
        const code = this.#text.charCodeAt(start);
        if (depth === 1) {
            this.#isInList = name === this.#wanted.list && code === OPEN_ARRAY;
            this.#item = 0;
        }
        const isWanted = this.#wanted.names.has(name) && (code === OPEN_OBJECT || code === QUOTE);
        this.#name = isWanted ? name : undefined;
        this.#start = start;
        this.#depth = depth;
    }

    /** Notes the end of a string, an object or an array inside an object at this depth. `end` is its last index. */
    end(depth: number, end: number): void {
        if (this.#name === undefined || depth !== this.#depth) return;
        const item = depth === 1 ? undefined : this.#item;
        this.found.push({ name: this.#name, item, text: this.#text.slice(this.#start, end + 1) });
        this.#name = undefined;
    }

    comma(depth: number): void {
        if (depth === LIST_LEVELS && this.#isInList) this.#item++;
    }
}
