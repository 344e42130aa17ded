import { z } from 'zod';

/** What both drivers know: that of migrations takes more, that of the roles fails on it after the start. */
const MODES = ['disable', 'no-verify', 'require'];
/** libpq's name for what both drivers do at `require`: the certificate is checked, and that it names the host. */
const AS_REQUIRE = 'verify-full';

/** DATABASE_URL, checked so that `migrate` accepts no other than the roles do. */
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
