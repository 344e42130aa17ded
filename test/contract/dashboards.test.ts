import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { SERVICE_ROLES } from '../../proto/services.ts';
import { assertEntries } from './entries.ts';

interface Place {
    x: number;
    y: number;
    w: number;
    h: number;
}

interface Dashboard {
    uid: string;
    templating: { list: Array<{ name: string; type: string }> };
    panels: Array<{
        id: number;
        title: string;
        gridPos: Place;
        targets?: Array<{ refId: string; expr: string; legendFormat: string; datasource: { uid: string } }>;
    }>;
}

const FILES = globSync('deploy/grafana/*.json').sort();
const dashboards = FILES.map((file): Dashboard => JSON.parse(readFileSync(file, 'utf8')));

const overlap = (one: Place, other: Place): boolean =>
    one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;

describe('the dashboards', () => {
    it('are one overview, one per service, one for the cryptography pools and one for the limits', () => {
        const names = ['crypto-pools', 'limits', 'overview', ...SERVICE_ROLES.map((role) => `service-${role}`)];
        assertEntries(
            FILES,
            names.map((name) => `deploy/grafana/${name}.json`),
            'run `npm run dashboards`',
        );
        const uids = dashboards.map(({ uid }) => uid);
        assert.equal(new Set(uids).size, uids.length);
        assert.ok(
            uids.every((uid) => /^[\w-]{1,40}$/.test(uid)),
            'Grafana accepts only such uids',
        );
    });

    it('have titled panels with distinct ids that do not overlap on the grid', () => {
        for (const { uid, panels } of dashboards) {
            assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length, uid);
            for (const [index, { title, gridPos }] of panels.entries()) {
                assert.ok(title && gridPos.x >= 0 && gridPos.x + gridPos.w <= 24 && Number.isInteger(gridPos.w), title);
                const covered = panels.slice(0, index).filter((other) => overlap(gridPos, other.gridPos));
                assert.deepEqual(covered, [], `${uid}: ${title}`);
            }
        }
    });

    it('query this service in the selected data source and namespace, and name each line', () => {
        for (const { uid, panels, templating } of dashboards) {
            assert.deepEqual(
                templating.list.map(({ name, type }) => [name, type]),
                [
                    ['datasource', 'datasource'],
                    ['namespace', 'query'],
                ],
            );
            for (const { refId, expr, legendFormat, datasource } of panels.flatMap(({ targets = [] }) => targets)) {
                assert.match(refId, /^[A-Z]$/);
                assert.ok(legendFormat, expr);
                assert.equal(datasource.uid, '$' + '{datasource}', uid);
                const selectors = expr.match(/\{[^}]*\}/g) ?? [];
                assert.ok(selectors.length > 0, expr);
                assert.ok(
                    selectors.every((selector) =>
                        selector.startsWith('{job="credential-service",namespace=~"$namespace"'),
                    ),
                    expr,
                );
            }
        }
    });
});
