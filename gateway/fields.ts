import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { decodeBase64 } from '../platform/base64.ts';
import { AppError } from '../platform/errors.ts';
import { JsonText } from '../platform/json.ts';
import { MAX_NAME_LENGTH, MAX_PAGE_ROWS } from '../proto/limits.ts';
import type { WalletError } from '../proto/openid4vci.ts';
import { REPEATED } from './http/query.ts';

/** An optional field. `null` means the same as a missing field (decision H5). */
export function optional<Schema extends z.ZodType>(schema: Schema) {
    return schema.nullish().transform((value) => value ?? undefined);
}

/** A display name of 1 to MAX_NAME_LENGTH characters. White space at both ends is removed. */
export const name = z
    .string()
    .meta({ minLength: 1, maxLength: MAX_NAME_LENGTH })
    .transform((text) => text.trim())
    .refine(
        (text) => text.length > 0 && [...text].length <= MAX_NAME_LENGTH,
        `must have 1 to ${MAX_NAME_LENGTH} characters`,
    );

/** Raw bytes in standard or URL base64, padded or not. */
export const base64 = z
    .string()
    .meta({ contentEncoding: 'base64' })
    .transform((text, context) => {
        const bytes = decodeBase64(text);
        if (bytes) return bytes;
        context.addIssue({ code: 'custom', message: 'must be base64' });
        return z.NEVER;
    });

/** The text of a header field. Clients send UTF-8, but Node decodes header bytes as Latin-1. */
export const headerText = z.string().transform((text, context) => {
    const bytes = Buffer.from(text, 'latin1');
    if (isUtf8(bytes)) return bytes.toString('utf8');
    context.addIssue({ code: 'custom', message: 'must be UTF-8' });
    return z.NEVER;
});

/** A whole number in a range. The OpenAPI document shows what it is without the field. */
export function wholeNumber(range: { min: number; max: number; default: number }) {
    return z
        .number()
        .refine(
            (number) => Number.isInteger(number) && number >= range.min && number <= range.max,
            `must be a whole number from ${range.min} to ${range.max}`,
        )
        .meta({ type: 'integer', minimum: range.min, maximum: range.max, default: range.default });
}

/** A JSON object of at most `maxBytes`. It is passed on as the text that the client sent. */
export function jsonObject(maxBytes: number) {
    return z
        .instanceof(JsonText, { error: 'must be an object' })
        .meta({ type: 'object' }) // the type that the client sends
        .refine(({ text }) => Buffer.byteLength(text) <= maxBytes, `must be at most ${maxBytes >> 10} KiB of JSON`)
        .transform(({ text }) => text);
}

/**
 * A list of at most `max` items. The length is checked before the items, and the check stops at the first invalid item,
 * so that a long list of invalid items costs no more than one invalid item.
 */
export function listOf<Item extends z.ZodType>(item: Item, { min = 0, max }: { min?: number; max: number }) {
    const documented = z.toJSONSchema(z.array(item).min(min).max(max), { io: 'input', unrepresentable: 'any' });
    return z
        .unknown()
        .meta({ type: 'array', items: documented.items, ...(min > 0 && { minItems: min }), maxItems: max })
        .transform((value, context): Array<z.output<Item>> => {
            const fail = (issue: z.core.$ZodRawIssue) => {
                context.issues.push(issue);
                return z.NEVER;
            };
            if (!Array.isArray(value)) return fail({ code: 'invalid_type', expected: 'array', input: value });
            if (value.length < min) return fail({ code: 'custom', message: 'must not be empty', input: value });
            if (value.length > max) {
                return fail({ code: 'custom', message: `must have at most ${max} items`, input: value });
            }
            const items: Array<z.output<Item>> = [];
            for (const [index, sent] of value.entries()) {
                const parsed = item.safeParse(sent);
                const [issue] = parsed.error?.issues ?? [];
                if (issue) return fail({ ...issue, path: [index, ...issue.path], input: sent } as z.core.$ZodRawIssue);
                items.push(parsed.data as z.output<Item>); // without an issue there is data
            }
            return items;
        });
}

/**
 * Accepts any value as an item of a batch, because one invalid item must not fail the others. The OpenAPI document shows
 * the schema that a valid item has.
 */
export function anyItem(item: z.ZodType) {
    const { $schema: _, ...shape } = z.toJSONSchema(item, { io: 'input', unrepresentable: 'any' });
    return z.unknown().meta(shape);
}

const LIMIT_RANGE = `must be a whole number from 1 to ${MAX_PAGE_ROWS}`;

/** The number of rows of a page. */
export const limit = z
    .string()
    .regex(/^[1-9]\d{0,3}$/, LIMIT_RANGE)
    .transform(Number)
    .refine((rows) => rows <= MAX_PAGE_ROWS, LIMIT_RANGE);

/** Paging is optional: without `limit` the whole list is returned. */
export const paging = z.object({
    limit: limit.optional(),
    cursor: z.string().min(1, 'must not be empty').max(200, 'is not one of this list').optional(),
});

/**
 * Validates a part of the request. Throws AppError `invalid`, whose text names the first invalid field and never
 * contains what the client sent.
 */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
    return parseAs('The body must be a JSON object.', schema, value);
}

/** Like parse, for one item of a batch. */
export function parseItem<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
    return parseAs(`The item must be a ${schema instanceof z.ZodString ? 'string' : 'JSON object'}.`, schema, value);
}

/** `otherwise` is the text for a value that is wrong as a whole. */
function parseAs<Schema extends z.ZodType>(otherwise: string, schema: Schema, value: unknown): z.output<Schema> {
    const parsed = schema.safeParse(value, { reportInput: false });
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const reason: WalletError | undefined = issue?.code === 'custom' ? issue.params?.['reason'] : undefined;
    throw new AppError('invalid', describe(issue, value) ?? otherwise, { reason });
}

function describe(issue: z.core.$ZodIssue | undefined, value: unknown): string | undefined {
    if (!issue || issue.path.length === 0) return undefined;
    const field = issue.path.join('.');
    if (issue.code !== 'invalid_type') return `${field} ${issue.message}.`;
    const sent = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], value);
    if (sent === undefined) return `${field} is required.`;
    if (sent === REPEATED) return `${field} is given more than once.`;
    const article = /^[aeiou]/.test(issue.expected) ? 'an' : 'a';
    return `${field} must be ${article} ${issue.expected}.`;
}
