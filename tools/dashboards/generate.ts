import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { SERVICE_ROLES } from '../../proto/services.ts';
import { cryptoPools } from './crypto-pools.ts';
import { limits } from './limits.ts';
import { overview } from './overview.ts';
import { serviceDashboard } from './service.ts';

/** `npm run dashboards`: writes deploy/grafana. `--check` writes nothing and fails if a file is not up to date. */

const files: Record<string, object> = {
    overview,
    'crypto-pools': cryptoPools,
    limits,
    ...Object.fromEntries(SERVICE_ROLES.map((role) => [`service-${role}`, serviceDashboard(role)])),
};
for (const [name, content] of Object.entries(files)) {
    const path = `deploy/grafana/${name}.json`;
    const input = JSON.stringify(content);
    const fresh = execFileSync('biome', ['format', `--stdin-file-path=${path}`], { input, encoding: 'utf8' });
    if (!process.argv.includes('--check')) writeFileSync(path, fresh);
    else if (readFileSync(path, 'utf8') !== fresh) {
        console.error(`${path} is not up to date: run npm run dashboards, and commit the result`);
        process.exitCode = 1;
    }
}
