import assert from 'node:assert/strict';

/** What in the code of a store is no statement: comments and strings. */
const SKIPPED = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'/y;

/** The texts of all template literals of a source, each with the code and the literals in it. */
export function templatesIn(source: string): string[] {
    const texts: string[] = [];
    const within: Array<'template' | 'code'> = [];
    let text = '';
    for (let at = 0; at < source.length; at++) {
        const character = source[at] as string; // within the source
        const isText = within.at(-1) === 'template';
        SKIPPED.lastIndex = at;
        const [skipped = ''] = isText ? [] : (SKIPPED.exec(source) ?? []);
        if (skipped !== '') {
            if (within.length > 0) text += skipped;
            at += skipped.length - 1;
            continue;
        }
        if (character === '`' && isText) within.pop();
        else if (character === '`') within.push('template');
        else if (character === '{' && (!isText || source[at - 1] === '$')) within.push('code');
        else if (character === '}' && !isText) within.pop();
        if (within.includes('template')) text += character;
        else if (text !== '') texts.push(text.slice(1));
        if (!within.includes('template')) text = '';
    }
    assert.deepEqual(within, [], 'a template literal does not end');
    return texts;
}
