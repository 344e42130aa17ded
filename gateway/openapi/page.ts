import { mediaOf, type OpenApi, type OperationObject, type ResponseObject } from './document.ts';
import type { Schema } from './schemas.ts';
import { STYLE } from './style.ts';

/** Renders the OpenAPI document as a page for people: one HTML file without scripts, so that it works anywhere. */
export function referencePage(document: OpenApi): string {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    const parts = document.tags.map((tag) => ({
        ...tag,
        operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
    }));
    const { title, version, description } = document.info;
    const menu = parts.map(
        (part) =>
            `<h2>${escaped(part.name)}</h2><ul>${part.operations.map(({ operation }) => link(operation)).join('')}</ul>`,
    );
    const sections = parts.map(
        (part) => `<section><h2>${escaped(part.name)}</h2><p>${text(part.description)}</p>
${part.operations.map((each) => operationHtml(document, each)).join('\n')}</section>`,
    );
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}: reference</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Operations"><a href="#top">Overview</a>${menu.join('')}</nav>
<main id="top">
<h1>${escaped(title)} <small>${escaped(version)}</small></h1>
${description
    .split('\n\n')
    .map((paragraph) => `<p>${text(paragraph)}</p>`)
    .join('\n')}
<p>For tools: <a href="/openapi.json">the OpenAPI ${escaped(document.openapi)} document</a>.</p>
${sections.join('\n')}
</main>
</body>
</html>
`;
}

interface Listed {
    method: string;
    path: string;
    operation: OperationObject;
}

function link({ operationId, summary }: OperationObject): string {
    return `<li><a href="#${operationId}">${escaped(summary)}</a></li>`;
}

function operationHtml(document: OpenApi, listed: Listed): string {
    const { method, path, operation } = listed;
    const { operationId, summary, description, parameters, requestBody, responses } = operation;
    const body = requestBody?.content['application/json'];
    const answers = Object.entries(responses).map(([status, response]) => ({
        status,
        response: resolve(document, response),
    }));
    const success = mediaOf(answers[0]?.response as ResponseObject); // the lowest status
    const rows = parameters.map(({ in: place, name, required, schema, description }) =>
        row(name, schema, `${description} In the ${place}.`, required),
    );
    return `<details id="${operationId}" open>
<summary><span class="method ${method}">${method}</span><code class="path">${escaped(path)}</code><span class="title">${escaped(summary)}</span></summary>
<div class="body">
${description ? `<p>${text(description)}</p>` : ''}
<p class="dim">Who may call: ${callers(operation)}.</p>
<h4>Example</h4>
<pre>${escaped(curl(listed, body?.example))}</pre>
<pre>${escaped(sample(success.example))}</pre>
<h4>Parameters</h4>
${table(rows)}
${body ? `<h4>Body</h4>${table(fields(document, body.schema))}` : ''}
<h4>Data of the answer</h4>
${table(fields(document, success.schema.properties?.['data'] ?? success.schema))}
<h4>Statuses</h4>
<table><tr><th>Status</th><th>Message</th><th>When</th></tr>${answers.map(statusRow).join('')}</table>
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
    };
    if (security.length === 0) return 'anyone';
    return security
        .map((all) =>
            Object.keys(all)
                .map((name) => names[name] ?? name)
                .join(' with '),
        )
        .join(', or ');
}

/** The example request as a curl command. */
function curl({ method, path, operation }: Listed, body: unknown): string {
    let target = path;
    const query = new URLSearchParams();
    const headers = operation.security.flatMap((all) => Object.keys(all)).includes('internal_secret')
        ? ['X-Internal-Secret: $SECRET']
        : [];
    if (operation.security.some((all) => 'session' in all)) headers.push('Authorization: Bearer $TOKEN');
    for (const { in: place, name, example } of operation.parameters) {
        if (example === undefined) continue;
        if (place === 'path') target = target.replace(`{${name}}`, String(example));
        else if (place === 'query') query.set(name, String(example));
        else headers.push(`${name}: ${example}`);
    }
    if (body !== undefined) headers.push('Content-Type: application/json');
    const lines = [`curl -X ${method} "$URL${target}${query.size > 0 ? `?${query}` : ''}"`];
    for (const header of headers) lines.push(`-H "${header}"`);
    if (body !== undefined) lines.push(`-d '${JSON.stringify(body, undefined, 2)}'`);
    return lines.join(' \\\n  ');
}

function statusRow({ status, response }: { status: string; response: ResponseObject }): string {
    const { schema, example } = mediaOf(response);
    const summary = schema.$ref?.endsWith('/Error') ? (example as { message: string }).message : '';
    return `<tr><td>${status}</td><td class="dim">${escaped(summary)}</td><td>${text(response.description)}</td></tr>`;
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

function resolve(document: OpenApi, response: ResponseObject | { $ref: string }): ResponseObject {
    if ('content' in response) return response;
    // The document refers only to its own parts.
    return document.components.responses[response.$ref.split('/').at(-1) ?? ''] as ResponseObject;
}

function escaped(raw: string): string {
    return raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Converts `code` in a text to HTML. */
function text(raw: string): string {
    return escaped(raw).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
