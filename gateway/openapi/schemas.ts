import { z } from 'zod';
import { GLOSSARY } from './glossary.ts';

/** The part of JSON Schema 2020-12 that the interface uses. */
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

/** The JSON Schema of the values that a client sends or receives. It ignores the transforms inside the gateway. */
export function schemaOf(schema: z.ZodType): Schema {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return described(rest as Schema); // zod's type has all keywords, Schema only some of them
}

function described(schema: Schema): Schema {
    const { propertyNames: _, ...rest } = schema; // the names of a JSON object are always strings
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
