import { z } from 'zod';
import type { Credential, CredentialForm } from '../../../proto/gen/credentials/v1/credentials.ts';
import { MAX_DISCLOSURES } from '../../../proto/limits.ts';
import { jsonObject, listOf, optional } from '../../fields.ts';
import { upgrading } from '../../upgrading.ts';

/** Maximum number of bytes of a public key as a JWK. Beyond it: 400. */
const MAX_JWK_BYTES = 2_048;

/** How the descriptions of issuing begin. */
export const OWN_KEY =
    'The example has a managed issuer. An issuer that keeps its own key also sends `issuer_private_key`, which must belong to `issuer_did`.';

/** In which form a credential is issued. */
export const formFields = {
    format: optional(z.string()),
    vct: optional(z.string()),
    disclosable: optional(listOf(z.string(), { max: MAX_DISCLOSURES })),
    holder_key: optional(jsonObject(MAX_JWK_BYTES)),
    holder_did_url: optional(z.string()),
};

/** The schema of a body with items. Each of them names its own form, so the body may not: it would be ignored. */
export function formInItems<Body extends z.ZodType>(body: Body) {
    return z.preprocess((sent, context) => {
        const members = Object(sent) as Record<string, unknown>;
        const misplaced = Object.keys(formFields).find((name) => (members[name] ?? undefined) !== undefined);
        if (misplaced !== undefined) {
            context.addIssue({ code: 'custom', path: [misplaced], message: 'belongs in each item' });
        }
        return sent;
    }, body);
}

interface FormFields extends Omit<CredentialForm, 'disclosable'> {
    disclosable?: string[] | undefined;
}

/** Returns the request as the service takes it. */
export function inForm<Fields extends Partial<FormFields>>(
    fields: Fields,
): Omit<Fields, keyof FormFields> & { form: CredentialForm | undefined } {
    const { format, vct, disclosable: pointers, holder_key, holder_did_url, ...request } = fields;
    const form = { format, vct, disclosable: pointers && { pointers }, holder_key, holder_did_url };
    const isAsked = Object.values(form).some((value) => value !== undefined);
    return { ...request, form: isAsked ? form : undefined };
}

/**
 * Throws if the credentials service is of a release that knows neither status lists nor forms: nobody may get a credential
 * in another form, or whose revocation does not show where it was asked for.
 */
export function refuseOtherThan(
    asked: { status_list?: boolean | undefined; form: CredentialForm | undefined },
    issued: Credential | undefined,
): void {
    if (!issued) return;
    const isOtherForm = asked.form !== undefined && issued.credential.startsWith('v4.public.');
    if (isOtherForm || (asked.status_list && !issued.status)) throw upgrading();
}
