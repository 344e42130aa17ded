import { z } from 'zod';
import { GLOSSARY, type Term, type Terms } from './glossary.ts';

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
    additionalProperties?: Schema;
    [keyword: string]: unknown;
}

/**
 * The JSON Schema of the values that a client sends or receives. It ignores the transforms inside the gateway. The
 * descriptions of fields come from `own` and from the glossary.
 */
export function schemaOf(schema: z.ZodType, own: Terms = {}): Schema {
    return written(schema, 'input', own);
}

/** Like schemaOf, for an answer: a field that the gateway fills in is always there. */
export function answerSchemaOf(schema: z.ZodType, own: Terms = {}): Schema {
    return written(schema, 'output', own);
}

function written(schema: z.ZodType, io: 'input' | 'output', own: Terms): Schema {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, {
        io,
        unrepresentable: 'any',
        override({ zodSchema, jsonSchema }) {
            if (io === 'input') return;
            delete jsonSchema.default;
            if (zodSchema instanceof z.ZodObject) delete jsonSchema.additionalProperties; // later releases add fields
            if (jsonSchema.oneOf) {
                jsonSchema.anyOf = jsonSchema.oneOf;
                delete jsonSchema.oneOf;
            }
        },
    });
    return described(rest as Schema, own); // zod's type has all keywords, Schema only some of them
}

function described(schema: Schema, own: Terms): Schema {
    const { propertyNames: _, ...rest } = schema; // the names of a JSON object are always strings
    if (rest.items) rest.items = described(rest.items, own);
    if (rest.anyOf) rest.anyOf = rest.anyOf.map((each) => described(each, own));
    if (rest.properties) {
        const entries = Object.entries(rest.properties);
        rest.properties = Object.fromEntries(
            entries.map(([name, field]) => [name, defined(name, described(field, own), own)]),
        );
    }
    return rest;
}

/** The field's schema with the meaning of its name. A name that ends with `_at` is the name of a time. */
function defined(name: string, field: Schema, own: Terms): Schema {
    const meaning = { ...termOf(GLOSSARY[name]), ...termOf(own[name]) };
    const { description, schema, enum: values, format = name.endsWith('_at') ? 'date-time' : undefined } = meaning;
    if (description === undefined) return field;
    if (schema) return { description, ...schema };
    const nullable = Array.isArray(field.type) && field.type.includes('null');
    const all: Schema = { description, ...field };
    if (format) all.format = format;
    if (values) all.enum = nullable ? [...values, null] : [...values];
    return all;
}

function termOf(meaning: Terms[string] | undefined): Partial<Term> {
    return typeof meaning === 'string' ? { description: meaning } : { ...meaning };
}
