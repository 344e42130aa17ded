import { z } from 'zod';

const TOKEN = z.string().min(1, 'must be a token, or several separated by commas');

/**
 * Tokens of this service's own processes, separated by commas. A process sends the first one and accepts all of them.
 */
export const serviceTokensSetting = z
    .string()
    .transform((text) => text.split(',').map((token) => token.trim()))
    .pipe(z.tuple([TOKEN], TOKEN))
    .optional();

/** The rights of an external service. The settings contain only the SHA-256 of its token, not the token. */
const CALLER = z.strictObject({
    token_sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of the token in lower-case hex'),
    methods: z
        .array(z.string().regex(/^\/\w+(\.\w+)+\/(\*|\w+)$/, 'must be /package.Service/Method or /package.Service/*'))
        .min(1),
    /** True if the service may make calls as a trusted caller. */
    trusted: z.boolean().default(false),
    /** Maximum number of its calls in progress in one process. */
    max_in_flight: z.int().min(1).max(8_192).default(256),
});

export type CallerSettings = z.infer<typeof CALLER>;

/** JSON: the name of each external service, with its rights. */
export const callersSetting = z
    .string()
    .default('{}')
    .transform((text, context) => {
        try {
            return JSON.parse(text);
        } catch {
            context.addIssue({ code: 'custom', message: 'must be JSON' });
            return z.NEVER;
        }
    })
    .pipe(z.record(z.string().regex(/^[a-z][a-z0-9-]{0,62}$/), CALLER))
    .refine(
        (callers) => {
            const hashes = Object.values(callers).map(({ token_sha256 }) => token_sha256);
            return new Set(hashes).size === hashes.length;
        },
        { message: 'two callers share a token' },
    );
