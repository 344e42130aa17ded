import { z } from 'zod';

/**
 * Values of `sslmode` that both drivers know. The driver of the migrations accepts more, but with those the roles would
 * fail after the start.
 */
const MODES = ['disable', 'no-verify', 'require'];
/** libpq's name for what both drivers do with `require`: they verify the certificate and its host name. */
const AS_REQUIRE = 'verify-full';

/** Validates DATABASE_URL, so that `migrate` accepts only URLs that the roles accept, too. */
export const databaseUrlSetting = z
    .string()
    .refine((text) => /^postgres(ql)?:/.test(text) && URL.canParse(text), { error: 'must be a URL, postgresql://…' })
    .refine((text) => modeOf(text) === null || [...MODES, AS_REQUIRE].includes(modeOf(text) ?? ''), {
        error: `sslmode must be ${MODES.join(', ')} or ${AS_REQUIRE}, which is the same as require`,
    })
    .transform((text) =>
        modeOf(text) === AS_REQUIRE ? text.replace(`sslmode=${AS_REQUIRE}`, 'sslmode=require') : text,
    )
    .optional();

function modeOf(text: string): string | null {
    return URL.canParse(text) ? new URL(text).searchParams.get('sslmode') : null;
}
