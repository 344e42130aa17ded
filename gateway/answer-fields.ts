import { z } from 'zod';
import { encodeBase64 } from '../platform/base64.ts';
import { JsonText } from '../platform/json.ts';

/*
 * The fields of answers that services return in another form than clients get. An endpoint returns the service's
 * message, and the engine shows the fields of it that the endpoint's `answer` declares, in the form declared here.
 */

/** Bytes, in base64. */
export const shownBytes = z
    .custom<Uint8Array>((sent) => sent instanceof Uint8Array)
    .transform(encodeBase64)
    .meta({ type: 'string' });

/** A JSON object, as the text that a client once sent. The envelope contains that text unchanged. */
export const shownObject = z
    .string()
    .transform((text) => new JsonText(text))
    .meta({ type: 'object', additionalProperties: {} });

/** A text that is null if the service has none. */
export const textOrNull = z.string().nullable().default(null);

/** A list that is absent if it is empty. */
export const textsIfAny = shownFrom(z.array(z.string()), (texts: readonly string[]) =>
    texts.length > 0 ? [...texts] : undefined,
);

/** A text of a known set. A newer service may already return others, so they are shown as well. */
export function oneOf(...values: [string, ...string[]]) {
    return z.string().meta({ enum: values });
}

/** An optional field that is made from a value of another form. `convert` may leave it out. */
export function shownFrom<Shown, Sent>(schema: z.ZodType<Shown>, convert: (sent: Sent) => Shown | undefined) {
    const converted = z.preprocess(
        (sent) => (sent === undefined ? undefined : convert(sent as Sent)), // `call` returns only such values
        schema.optional(),
    );
    return converted as unknown as z.ZodOptional<z.ZodType<Shown, Sent>>; // preprocess() would accept every value
}
