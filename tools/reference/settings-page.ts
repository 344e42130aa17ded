import { loadConfig, settingNames } from '../../platform/process/config.ts';
import { SETTING_GROUPS, type SettingNotes } from '../../platform/process/setting-notes.ts';
import { settingNotes } from '../../platform/process/settings.ts';
import { table } from './table.ts';

interface Setting extends SettingNotes {
    name: string;
}

/** The text of docs/reference/settings.md: every setting, by group. */
export function settingsPage(): string {
    const settings = settingNames.map((name): Setting => ({ name, ...settingNotes(name) }));
    const byDefault: Record<string, unknown> = { ...loadConfig({}) };
    const sections = SETTING_GROUPS.map((group) => {
        const rows = settings.filter((setting) => setting.group === group).map((setting) => row(setting, byDefault));
        return `## ${group}\n\n${table(['Setting', 'Default', 'Meaning'], rows)}`;
    });
    return `${HEADER}\n${sections.join('\n')}\n${LAUNCHERS}`;
}

const HEADER = `# Settings

\`npm run reference\` writes this page from the code. All settings are environment variables. A secret \`X\` may also be
set as the path of a file that contains it, in \`X_FILE\`. The launchers, \`npm start\` and \`npm run start:cluster\`,
generate missing secrets and keep them in \`DATA_DIR\`.
`;

const LAUNCHERS = `## Launchers only

${table(
    ['Setting', 'Default', 'Meaning'],
    [
        ['`DATA_DIR`', '`.data`', 'Folder for the databases, logs and secrets of the launchers.'],
        [
            '`GATEWAYS`',
            '`1`',
            'Number of gateways that `npm run start:cluster` starts, on `PORT` and the ports after it.',
        ],
        [
            '`PROCESSES`',
            'one per core, less one',
            'Number of processes that `npm start` runs behind `PORT`, each with all roles.',
        ],
        ['`READY_SECONDS`', '`180`', 'How long a start waits until its processes are ready, in seconds.'],
    ],
)}`;

function row(setting: Setting, byDefault: Record<string, unknown>): string[] {
    const { name, help, secret } = setting;
    return [`\`${name}\``, defaultOf(setting, byDefault[name]), secret ? `${help} Secret.` : help];
}

function defaultOf({ default: inWords }: Setting, value: unknown): string {
    if (inWords !== undefined) return inWords;
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return '–';
    if (typeof value !== 'object' || value === null) return `\`${value}\``;
    const byTier = Object.entries(value).map(([tier, most]) => `${tier}=${most}`);
    return byTier.length === 0 ? '–' : `\`${byTier.join(',')}\``;
}
