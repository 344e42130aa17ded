import type { Opened } from './open.ts';
import { type PresentationContent, readPayload } from './presentation.ts';
import { outOfTime } from './times.ts';

/** The answer to the verification of a presentation, without the verdicts on its credentials. */
export interface PresentationVerdict {
    valid: boolean;
    /** The members from holder to created_at are set if the signature is valid. */
    holder?: string | undefined;
    audience?: string | undefined;
    /** Set only if a nonce was expected. */
    nonce_valid?: boolean | undefined;
    created_at?: string | undefined;
    /** Why the presentation is not valid. */
    error?: string | undefined;
    /** expected_audience and actual_audience are set if the token is for another verifier. */
    expected_audience?: string | undefined;
    actual_audience?: string | undefined;
}

/** A presentation that the holder in it has signed. */
interface AuthenticPresentation extends PresentationContent {
    /** The members `nbf` and `exp` of the payload, of any type. */
    period: { nbf?: unknown; exp?: unknown };
}

/** Returns the presentation in a token that was opened with PRESENTATION_MEMBERS; otherwise why it contains none. */
export function authenticPresentation(opened: Opened): AuthenticPresentation | { fault: string } {
    if (!opened.ok) return { fault: opened.reason };
    const content = readPayload(opened.payload);
    if ('invalidField' in content) {
        return { fault: `The token is not a presentation: ${content.invalidField} is missing or unfit.` };
    }
    return { ...content, period: opened.payload };
}

interface Expected {
    /** The DID of the verifier. */
    audience: string;
    /** The verifier's challenge; undefined if there was none. */
    nonce: string | undefined;
    /** Milliseconds since 1970. */
    now: number;
    /** The verdicts on the presented credentials, in their order; none if they are not to be checked. */
    credentials: ReadonlyArray<{ valid: boolean; error?: string | undefined }>;
}

/** The verdict on an authentic presentation. For another audience, the verdicts on its credentials do not matter. */
export function presentationVerdict(
    content: AuthenticPresentation,
    { audience, nonce, now, credentials }: Expected,
): PresentationVerdict {
    const shown = {
        holder: content.holder,
        audience: content.audience,
        created_at: content.created_at,
        nonce_valid: nonce === undefined ? undefined : content.nonce === nonce,
    };
    if (content.audience !== audience) {
        const audiences = { expected_audience: audience, actual_audience: content.audience };
        return { valid: false, ...shown, error: 'The presentation is for another audience.', ...audiences };
    }
    const untimely = outOfTime(content.period, now);
    const error = untimely === undefined ? fault(shown.nonce_valid, credentials) : `The presentation ${untimely}.`;
    return { valid: error === undefined, ...shown, error };
}

/** Returns the first reason why an authentic presentation is invalid; undefined if it is valid. */
function fault(nonceValid: boolean | undefined, credentials: Expected['credentials']): string | undefined {
    if (nonceValid === false) return 'The nonce is not the expected one.';
    const bad = credentials.findIndex(({ valid }) => !valid);
    return bad === -1 ? undefined : `credentials.${bad}: ${credentials[bad]?.error}`;
}
