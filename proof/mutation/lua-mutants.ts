interface LuaMutant {
    line: number;
    change: string;
    /** The whole program with this one change. */
    source: string;
}

/** Replacements of each keyword, name and operator. Each replacement makes one mutant. */
const REPLACEMENTS: Record<string, readonly string[]> = {
    '==': ['~='],
    '~=': ['=='],
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '+': ['-'],
    '-': ['+'],
    '*': ['/'],
    '/': ['*'],
    and: ['or'],
    or: ['and'],
    not: [''],
    max: ['min'],
    min: ['max'],
    true: ['false'],
    false: ['true'],
};

/** Tokens of Lua. Comments and strings come first, because nothing inside them is an operator. */
const TOKEN =
    /--[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*|\d+(?:\.\d+)?|==|~=|<=|>=|\.\.|[-+*/<>=#%^(){}[\];:,.]/g;
/** A line that only calls or assigns. The program still compiles without it. */
const STATEMENT = /^\s+(?:redis\.call\(|[\w.[\], #+]+ = (?!function)).*[^{,(]$/;

/** All programs that differ from this one in one operator, one constant or one missing statement. */
export function luaMutants(source: string): LuaMutant[] {
    const lineAt = (index: number): number => source.slice(0, index).split('\n').length;
    const changed = (index: number, old: string, replacement: string): LuaMutant => ({
        line: lineAt(index),
        change: `${old} → ${replacement === '' ? 'nothing' : replacement}`,
        source: source.slice(0, index) + replacement + source.slice(index + old.length),
    });
    const mutants = Array.from(source.matchAll(TOKEN), ({ 0: token, index }) =>
        replacementsOf(token, source, index).map((replacement) => changed(index, token, replacement)),
    ).flat();
    let index = 0;
    for (const line of source.split('\n')) {
        if (STATEMENT.test(line) && !line.trimStart().startsWith('--')) mutants.push(changed(index, line, ''));
        index += line.length + 1;
    }
    return mutants;
}

function replacementsOf(token: string, source: string, index: number): readonly string[] {
    if (/^\d/.test(token)) return [String(Number(token) + 1)];
    // The first argument of redis.call must stay the name of a command. Any other string may change.
    if (/^['"]/.test(token)) return /call\($/.test(source.slice(0, index)) ? [] : ["'mutant'"];
    return Object.hasOwn(REPLACEMENTS, token) ? (REPLACEMENTS[token] ?? []) : [];
}
