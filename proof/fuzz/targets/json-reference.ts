/** Properties of a text that JSON.parse accepts, found without any of the service's code. */
interface JsonFacts {
    depth: number;
    keys: number;
    hasDuplicate: boolean;
    hasNul: boolean;
    hasLoneSurrogate: boolean;
    hasInfinity: boolean;
    /** The text of each member of the outermost object. */
    members: Map<string, string>;
}

const TOKEN = /[{}[\]:,]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\]:,"]+/gs;

interface Level {
    /** The keys of an object so far. Undefined in an array. */
    keys: Set<string> | undefined;
    /** In an object: the key that the next value belongs to. */
    key: string | undefined;
    value_at: number;
}

/** @param text must be a text that JSON.parse accepts */
export function jsonFacts(text: string): JsonFacts {
    const facts: JsonFacts = {
        depth: 0,
        keys: 0,
        hasDuplicate: false,
        hasNul: false,
        hasLoneSurrogate: false,
        hasInfinity: false,
        members: new Map(),
    };
    const levels: Level[] = [];
    const endValue = (end: number): void => {
        const [outermost] = levels;
        if (levels.length !== 1 || outermost?.key === undefined) return;
        facts.members.set(outermost.key, text.slice(outermost.value_at, end));
        outermost.key = undefined;
    };
    for (const match of text.matchAll(TOKEN)) {
        const [token] = match;
        const level = levels.at(-1);
        if (level?.key !== undefined && level.value_at < 0 && token !== ':') level.value_at = match.index;
        if (token === '{' || token === '[') {
            levels.push({ keys: token === '{' ? new Set() : undefined, key: undefined, value_at: -1 });
            facts.depth = Math.max(facts.depth, levels.length);
        } else if (token === '}' || token === ']') {
            levels.pop();
            endValue(match.index + 1);
        } else if (token.startsWith('"')) {
            noteText(facts, JSON.parse(token) as string, level);
            if (level?.value_at !== -1) endValue(match.index + token.length);
        } else if (token !== ':' && token !== ',') {
            if (Math.abs(Number(token)) === Number.POSITIVE_INFINITY) facts.hasInfinity = true;
            endValue(match.index + token.length);
        }
        if (token === ',' && level) Object.assign(level, { key: undefined, value_at: -1 });
    }
    return facts;
}

function noteText(facts: JsonFacts, text: string, level: Level | undefined): void {
    if (text.includes('\0')) facts.hasNul = true;
    if (!text.isWellFormed()) facts.hasLoneSurrogate = true;
    if (!level?.keys || level.key !== undefined) return;
    facts.keys++;
    if (level.keys.has(text)) facts.hasDuplicate = true;
    level.keys.add(text);
    Object.assign(level, { key: text, value_at: -1 });
}
