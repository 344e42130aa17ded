import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { boundsPage } from './bounds-page.ts';
import { commandsPage } from './commands-page.ts';
import { endpointsPage } from './endpoints-page.ts';
import { countedMechanisms } from './mechanism-lines.ts';
import { owaspPage } from './owasp-page.ts';
import { chartCalls } from './role-table.ts';
import { settingsPage } from './settings-page.ts';

/**
 * `npm run reference`: writes docs/reference and the calls of the chart, and counts lines in docs/mechanisms.md. With
 * `--check` it fails if a file would change.
 */

const FOLDER = 'docs/reference';
const pages: Record<string, string> = {
    [`${FOLDER}/bounds.md`]: boundsPage(),
    [`${FOLDER}/cli.md`]: commandsPage(),
    [`${FOLDER}/endpoints.md`]: endpointsPage(),
    [`${FOLDER}/owasp.md`]: owaspPage(),
    [`${FOLDER}/settings.md`]: settingsPage(),
    'helm/templates/_calls.tpl': chartCalls(),
    'docs/mechanisms.md': countedMechanisms(readFileSync('docs/mechanisms.md', 'utf8')),
};

mkdirSync(FOLDER, { recursive: true });
for (const [path, text] of Object.entries(pages)) {
    if (!process.argv.includes('--check')) writeFileSync(path, text);
    else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
        console.error(`${path} is not up to date: run \`npm run reference\` and commit it`);
        process.exitCode = 1;
    }
}
