import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { endpointsPage } from './endpoints-page.ts';
import { owaspPage } from './owasp-page.ts';
import { settingsPage } from './settings-page.ts';

/** `npm run reference`: writes docs/reference. With `--check` it fails if a page would change. */

const FOLDER = 'docs/reference';
const pages: Record<string, string> = { endpoints: endpointsPage(), owasp: owaspPage(), settings: settingsPage() };

mkdirSync(FOLDER, { recursive: true });
for (const [name, text] of Object.entries(pages)) {
    const path = `${FOLDER}/${name}.md`;
    if (!process.argv.includes('--check')) writeFileSync(path, text);
    else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
        console.error(`${path} is not up to date: run \`npm run reference\` and commit it`);
        process.exitCode = 1;
    }
}
