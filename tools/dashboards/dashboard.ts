/** Builds dashboards for Grafana 10 and newer from rows of panels. */

/** Units of Grafana: per second, seconds, bytes, a share from 0 to 1, a plain number such as cores. */
type Unit = 'ops' | 's' | 'bytes' | 'percentunit' | 'short';

export interface Panel {
    title: string;
    unit: Unit;
    /** The queries: each legend with its PromQL expression. */
    lines: Record<string, string>;
}

export interface Row {
    title: string;
    panels: Panel[];
}

const JOB = 'job="credential-service"';
/** Selects the processes of the chosen namespace. With `All` also those without a namespace. */
const OURS = `${JOB},namespace=~"$namespace"`;

const WIDTH = 24;
const HEIGHT = 8;
const DATASOURCE = { type: 'prometheus', uid: '$' + '{datasource}' }; // the variable `datasource` below

/** The variables of the dashboard. `.*` includes processes without a namespace, as outside of Kubernetes. */
const VARIABLES = [
    { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
    {
        name: 'namespace',
        label: 'Namespace',
        type: 'query',
        datasource: DATASOURCE,
        query: `label_values(up{${JOB}}, namespace)`,
        refresh: 2, // when the time range changes
        sort: 1, // alphabetical
        includeAll: true,
        allValue: '.*',
        current: { text: 'All', value: '$__all' },
    },
];

/** PromQL for the rate of a counter: of the series that `select` matches, summed by the labels `by`. */
export function rate(counter: string, select = '', by = ''): string {
    const labels = [OURS, select].filter((part) => part !== '').join(',');
    return `sum${by && ` by (${by})`} (rate(${counter}{${labels}}[$__rate_interval]))`;
}

/** PromQL for a quantile of a histogram: of the series that `select` matches, by the label `by`. */
export function quantile(q: number, histogram: string, select = '', by = ''): string {
    const labels = ['le', by].filter((part) => part !== '').join(', ');
    return `histogram_quantile(${q}, ${rate(`${histogram}_bucket`, select, labels)})`;
}

/** A panel with the median and the 99th percentile of a histogram of seconds. */
export function percentiles(title: string, histogram: string, select = ''): Panel {
    const lines = { median: quantile(0.5, histogram, select), '99th percentile': quantile(0.99, histogram, select) };
    return { title, unit: 's', lines };
}

/** PromQL for the values of a gauge: of the series that `select` matches. */
export function gauge(name: string, select = ''): string {
    return `${name}{${[OURS, select].filter((part) => part !== '').join(',')}}`;
}

/** The JSON of a dashboard. Its uid is `credential-service-<name>`. */
export function dashboard(name: string, title: string, rows: Row[]): object {
    const panels: object[] = [];
    let y = 0;
    for (const row of rows) {
        const at = { h: 1, w: WIDTH, x: 0, y };
        panels.push({
            id: panels.length + 1,
            type: 'row',
            title: row.title,
            collapsed: false,
            panels: [],
            gridPos: at,
        });
        y++;
        const w = WIDTH / row.panels.length;
        row.panels.forEach((panel, index) => {
            panels.push(timeSeries(panel, panels.length + 1, { h: HEIGHT, w, x: index * w, y }));
        });
        y += HEIGHT;
    }
    return {
        uid: `credential-service-${name}`,
        title: `Credential service: ${title}`,
        tags: ['credential-service'],
        schemaVersion: 39,
        version: 1,
        editable: false,
        timezone: 'utc',
        refresh: '30s',
        time: { from: 'now-1h', to: 'now' },
        templating: { list: VARIABLES },
        links: [
            {
                type: 'dashboards',
                title: 'Other dashboards',
                tags: ['credential-service'],
                asDropdown: true,
                keepTime: true,
            },
        ],
        panels,
    };
}

function timeSeries({ title, unit, lines }: Panel, id: number, gridPos: object): object {
    return {
        id,
        type: 'timeseries',
        title,
        gridPos,
        datasource: DATASOURCE,
        fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, showPoints: 'never' } }, overrides: [] },
        options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
        targets: Object.entries(lines).map(([legendFormat, expr], index) => ({
            refId: String.fromCharCode(65 + index), // A, B, …
            datasource: DATASOURCE,
            expr,
            legendFormat,
        })),
    };
}
