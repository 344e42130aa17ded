import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { interfaceParts } from '../../gateway/endpoints/index.ts';
import { openApi } from '../../gateway/openapi/document.ts';
import { KINDS } from '../../gateway/openapi/responses.ts';
import type { Schema } from '../../gateway/openapi/schemas.ts';
import { type ClientOperation, operationsOf } from './operations.ts';
import { typeOf } from './types.ts';

/**
 * `npm run client`: writes client/src/gen from the OpenAPI document. With `--check` it fails if a file would change.
 */

const HEADER = '// Generated from the OpenAPI document by "npm run client". Do not edit.\n';

const camelCase = (text: string): string => text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The type name of an operation: `internal.credentials.by_issuer` is `CredentialsByIssuer`. Internal variants have the
 * types of the public operations.
 */
function typeName(id: string, kind: 'Input' | 'Data'): string {
    const name = id.replace('internal.', '').replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
    return `${name}${kind}`;
}

function typesFile(operations: ClientOperation[]): string {
    const types = new Map<string, string>();
    const add = (name: string, schema: Schema): void => {
        const text = typeOf(schema);
        const declaration = schema.properties
            ? `export interface ${name} ${text}\n`
            : `export type ${name} = ${text};\n`;
        if (types.has(name) && types.get(name) !== declaration) {
            throw new Error(`There would be two types ${name}: change the id of one of the two endpoints.`);
        }
        types.set(name, declaration);
    };
    for (const { id, input, data } of operations) {
        if (input) add(typeName(id, 'Input'), input);
        add(typeName(id, 'Data'), data);
    }
    const codes = KINDS.map((kind) => JSON.stringify(kind)).join(' | ');
    return [HEADER, `/** The kinds of refusals. */\nexport type ErrorCode = ${codes};\n`, ...types.values()].join('\n');
}

function operationsFile(operations: ClientOperation[]): string {
    const names = operations.flatMap(({ id, input }) => [
        ...(input ? [typeName(id, 'Input')] : []),
        typeName(id, 'Data'),
    ]);
    const table = operations.map(({ id, wire }) => `${JSON.stringify(id)}: ${JSON.stringify(wire)},`);
    return [
        HEADER,
        `import type { Call, ListMethod } from '../call.ts';`,
        `import type { CallOptions, Operation } from '../operation.ts';`,
        `import type { ${[...new Set(names)].sort().join(', ')} } from './types.ts';\n`,
        `/** Every operation of the service. */\nexport interface Api ${group(operations, '')}\n`,
        '/** How each operation is sent, by its id. */',
        `export const OPERATIONS = {\n${table.join('\n')}\n} satisfies Record<string, Operation>;`,
    ].join('\n');
}

/** The text of an object type whose members are the operations with ids that begin with `prefix`. */
function group(operations: ClientOperation[], prefix: string): string {
    const members = new Map<string, string>();
    for (const operation of operations.filter(({ id }) => id.startsWith(prefix))) {
        const [name = '', ...more] = operation.id.slice(prefix.length).split('.');
        if (members.has(name)) continue;
        const nested = more.length > 0 ? `${camelCase(name)}: ${group(operations, `${prefix}${name}.`)};` : undefined;
        members.set(name, nested ?? method(camelCase(name), operation));
    }
    return `{\n${[...members.values()].join('\n')}\n}`;
}

function method(name: string, { id, comment, input, wire }: ClientOperation): string {
    const data = typeName(id, 'Data');
    const argument = input ? `input${input.required?.length ? '' : '?'}: ${typeName(id, 'Input')}` : '';
    const result = wire.streams ? `AsyncGenerator<${data}, void>` : `Call<${data}>`;
    const type = wire.list
        ? `: ListMethod<[${argument}], ${data}, ${data}[${JSON.stringify(wire.list)}][number]>`
        : `(${argument ? `${argument}, ` : ''}options?: CallOptions): ${result}`;
    return `/**\n * ${comment}\n */\n${name}${type};`;
}

function formatted(path: string, text: string): string {
    return execFileSync('biome', ['format', `--stdin-file-path=${path}`], { input: text, encoding: 'utf8' });
}

const operations = operationsOf(openApi(interfaceParts({ version: '', cache: async () => {}, clock: Date.now }), ''));
const files = {
    'client/src/gen/types.ts': typesFile(operations),
    'client/src/gen/operations.ts': operationsFile(operations),
};
for (const [path, text] of Object.entries(files)) {
    const fresh = formatted(path, text);
    if (!process.argv.includes('--check')) writeFileSync(path, fresh);
    else if (readFileSync(path, 'utf8') !== fresh) {
        console.error(`${path} is not up to date: run \`npm run client\` and commit it`);
        process.exitCode = 1;
    }
}
