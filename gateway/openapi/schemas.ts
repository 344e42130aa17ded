import { z } from 'zod';
import { GLOSSARY } from './glossary.ts';

/** JSON Schema 2020-12, as far as the interface uses it. */
export interface Schema {
    $ref?: string;
    type?: string | string[];
    description?: string;
    format?: string;
    enum?: Array<string | null>;
    const?: unknown;
    properties?: Record<string, Schema>;
    required?: string[];
    items?: Schema;
    anyOf?: Schema[];
    propertyNames?: Schema;
    [keyword: string]: unknown;
}

/** The schema of what a caller sends or receives. Transforms are internal to the gateway. */
export function schemaOf(schema: z.ZodType): Schema {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return described(rest as Schema); // zod's type has all keywords, ours some
}

function described(schema: Schema): Schema {
    const { propertyNames: _, ...rest } = schema; // as members of a JSON object they are strings anyway
    if (rest.items) rest.items = described(rest.items);
    if (rest.properties) {
        const entries = Object.entries(rest.properties).map(([name, field]) => [name, defined(name, described(field))]);
        rest.properties = Object.fromEntries(entries);
    }
    return rest;
}

/** The field's schema with the glossary's description of its name. */
function defined(name: string, field: Schema): Schema {
    const term = GLOSSARY[name];
    if (!term) return field;
    if (term.schema) return { description: term.description, ...term.schema };
    const nullable = Array.isArray(field.type) && field.type.includes('null');
    const all: Schema = { description: term.description, ...field };
    if (term.format) all.format = term.format;
    if (term.enum) all.enum = nullable ? [...term.enum, null] : [...term.enum];
    return all;
}
