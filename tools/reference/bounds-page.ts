import { type StatedBound, statedBounds } from './stated-bounds.ts';
import { table } from './table.ts';

const HEADER = `# Bounds

\`npm run reference\` writes this page from the constants in the code and their doc comments. Bounds that an operator
sets are in [settings](settings.md), those of tables and Redis keys in [growth](../growth.md).

A refusal is a 4xx or 503 in the envelope, with \`Retry-After\` if waiting helps. \`unavailable\` and \`deadline\` are 503,
\`invalid\` is 400. Each process has its own bounds: two gateways hold twice as much.
`;

/** The text of docs/reference/bounds.md: every bound, by folder. */
export function boundsPage(): string {
    const folders = Map.groupBy(statedBounds(), ({ file }) => file.split('/').slice(0, -1).slice(0, 2).join('/'));
    const sections = Array.from(folders, ([folder, bounds]) => {
        const rows = table(['What', 'Bound', 'Beyond it', 'Where'], bounds.map(row));
        return `## ${folder === '' ? 'The program' : folder}\n\n${rows}`;
    });
    return `${HEADER}\n${sections.join('\n')}`;
}

/** The value has units, so the comment's words about them are left out. */
function row({ file, name, comment, value }: StatedBound): string[] {
    const [about = '', beyond = '–'] = comment.split('Beyond it: ');
    const what = about
        .replace(/(?<=[\w)`])\. .*$/, '.')
        .replaceAll(/, in (milliseconds|ms|bytes|seconds)\b,?| \(ms\)/g, '');
    return [what.trim(), value, beyond.replace(/\.$/, ''), `\`${file}:${name}\``];
}
