import { mediaOf, type OpenApi, type OperationObject, type ResponseObject } from '../openapi/document.ts';
import type { Schema } from '../openapi/schemas.ts';
import { escaped, text } from './markdown.ts';

interface Listed {
    method: string;
    path: string;
    operation: OperationObject;
}

/** One operation, folded: its line opens it. */
export function operationHtml(document: OpenApi, listed: Listed): string {
    const { method, path, operation } = listed;
    const { operationId, summary, description, parameters, requestBody, responses } = operation;
    const body = requestBody && mediaOf(requestBody);
    const success = mediaOf(Object.values(responses)[0] as ResponseObject); // the lowest status
    const rows = parameters.map(({ in: place, name, required, schema, description }) =>
        row(name, schema, `${description} In the ${place}.`, required),
    );
    return `<details id="${operationId}">
<summary><span class="method ${method}">${method}</span><code class="path">${escaped(path)}</code><span class="title">${escaped(summary)}</span></summary>
<div class="body">
${description ? `<p>${text(description)}</p>` : ''}
<p class="dim">Who may call: ${callers(operation)}. ${repeating(operation)}</p>
<h4>Example</h4>
<pre>${escaped(curl(listed, body?.example))}</pre>
<pre>${escaped(sample(success.example))}</pre>
<h4>Parameters</h4>
${table(rows)}
${body ? `<h4>Body</h4>${table(fields(document, body.schema))}` : ''}
<h4>Data of the answer</h4>
${table(fields(document, success.schema.properties?.['data'] ?? success.schema))}
<h4>Statuses</h4>
${statuses(responses)}
</div>
</details>`;
}

function sample(example: unknown): string {
    return typeof example === 'string' ? example : JSON.stringify(example, undefined, 2);
}

function callers({ security }: OperationObject): string {
    const names: Record<string, string> = {
        session: 'a session',
        api_key: 'an API key',
        internal_secret: 'the internal secret',
        access_token: 'a wallet with an access token',
    };
    if (security.length === 0) return 'anyone';
    const ways = security.map((all) =>
        Object.entries(all).map(
            ([name, [scope]]) => `${names[name]}${scope ? ` with the scope <code>${scope}</code>` : ''}`,
        ),
    );
    return ways.map((all) => all.join(' with ')).join(', or ');
}

function repeating({ 'x-idempotent': idempotent }: OperationObject): string {
    const link = '<a href="#repeating-a-call">repeated</a>';
    if (idempotent === 'by-key') return `May be ${link} with its <code>Idempotency-Key</code>.`;
    return idempotent ? `May be ${link}.` : `May not be ${link} if its outcome is unknown.`;
}

/** The example request as a curl command. */
function curl({ method, path, operation }: Listed, body: unknown): string {
    let target = path;
    const query = new URLSearchParams();
    const asked = operation.security.flatMap((all) => Object.keys(all));
    const headers = asked.includes('internal_secret') ? ['X-Internal-Secret: $SECRET'] : [];
    if (asked.includes('api_key')) headers.push('Authorization: Bearer $KEY');
    else if (asked.includes('session')) headers.push('Authorization: Bearer $TOKEN');
    for (const { in: place, name, example } of operation.parameters) {
        if (example === undefined) continue;
        if (place === 'path') target = target.replace(`{${name}}`, String(example));
        else if (place === 'query') query.set(name, String(example));
        else headers.push(`${name}: ${example}`);
    }
    const [type] = Object.keys(operation.requestBody?.content ?? {});
    if (type !== undefined) headers.push(`Content-Type: ${type}`);
    const lines = [`curl -X ${method} "$URL${target}${query.size > 0 ? `?${query}` : ''}"`];
    for (const header of headers) lines.push(`-H "${header}"`);
    const indent = operation['x-lines'] ? 0 : 2; // a line has no line breaks
    if (body !== undefined) lines.push(`-d '${JSON.stringify(body, undefined, indent)}'`);
    return lines.join(' \\\n  ');
}

/** A row for each answer that means something of its own here. The others have only their status. */
function statuses(responses: OperationObject['responses']): string {
    const all = Object.entries(responses);
    const rows = all.flatMap(([status, response]) =>
        'content' in response ? [`<tr><td>${status}</td><td>${text(response.description)}</td></tr>`] : [],
    );
    const others = all.flatMap(([status, response]) => ('content' in response ? [] : [status]));
    return `<table><tr><th>Status</th><th>When</th></tr>${rows.join('')}</table>
<p class="dim">Like <a href="#refusals">any operation</a>: ${others.join(', ')}.</p>`;
}

/** One row per field. Fields of nested objects and list items are shown with their path. */
function fields(document: OpenApi, given: Schema, path = ''): string[] {
    const schema = given.$ref ? (document.components.schemas[given.$ref.split('/').at(-1) ?? ''] as Schema) : given;
    return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
        const here = `${path}${name}`;
        const within = field.items ? fields(document, field.items, `${here}[].`) : fields(document, field, `${here}.`);
        return [row(here, field, field.description ?? '', schema.required?.includes(name) ?? false), ...within];
    });
}

function row(name: string, schema: Schema, description: string, required: boolean): string {
    const must = required ? ' <span class="must">required</span>' : '';
    return `<tr><td><code>${escaped(name)}</code>${must}</td><td class="dim">${escaped(typeOf(schema))}</td><td>${text(description)}</td></tr>`;
}

function table(rows: string[]): string {
    if (rows.length === 0) return '<p class="dim">None.</p>';
    return `<table><tr><th>Name</th><th>Type</th><th>Meaning</th></tr>${rows.join('')}</table>`;
}

function typeOf({ type, items, anyOf, format, contentEncoding, enum: values }: Schema): string {
    if (anyOf) return anyOf.map(typeOf).join(' or ');
    if (values) return values.join(', ');
    const named = [type ?? 'any'].flat().join(' or ');
    if (items) return `list of ${typeOf(items)}s`;
    return [named, format ?? contentEncoding].filter((part) => part !== undefined).join(', ');
}
