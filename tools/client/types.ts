import type { Schema } from '../../gateway/openapi/schemas.ts';

/** The TypeScript type of the values that a JSON Schema describes. Each field of an object has a comment. */
export function typeOf(schema: Schema): string {
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum) return schema.enum.map(literal).join(' | ');
    if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
    if (schema.type === undefined) return 'unknown';
    return [schema.type]
        .flat()
        .map((type) => ofType(type, schema))
        .join(' | ');
}

function ofType(type: string, schema: Schema): string {
    switch (type) {
        case 'integer':
            return 'number';
        case 'array':
            return arrayOf(typeOf(schema.items ?? {}));
        case 'object':
            return schema.properties
                ? `{\n${fieldsOf(schema)}\n}`
                : `Record<string, ${typeOf(schema.additionalProperties ?? {})}>`;
        default:
            return type; // string, number, boolean, null
    }
}

function arrayOf(item: string): string {
    return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function fieldsOf({ properties = {}, required = [] }: Schema): string {
    return Object.entries(properties)
        .map(([name, field]) => {
            const comment = field.description ? `/** ${field.description} */\n` : '';
            const key = /^\w+$/.test(name) ? name : literal(name);
            return `${comment}${key}${required.includes(name) ? '' : '?'}: ${typeOf(field)};`;
        })
        .join('\n');
}

function literal(value: unknown): string {
    return JSON.stringify(value);
}
