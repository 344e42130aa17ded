import { invalid } from '../../platform/errors.ts';
import type {
    ClaimDescription,
    ClaimPathStep,
    CreateConfigurationRequest,
    Display,
} from '../../proto/gen/exchange/v1/exchange.ts';
import {
    MAX_CLAIM_INDEX,
    MAX_CLAIM_PATH,
    MAX_CONFIGURATION_BYTES,
    MAX_DESCRIBED_CLAIMS,
    MAX_DISPLAYS,
    MAX_NAME_LENGTH,
    MAX_OFFER_KEYS,
} from '../../proto/limits.ts';
import { WALLET_ALGORITHMS } from '../../proto/openid4vci.ts';
import { MAX_TYPE_LENGTH } from '../../tokens/credential.ts';
import { isText, isUri } from '../../tokens/texts.ts';
import { isVct } from '../../tokens/write-sd-jwt-vc.ts';
import { type Definition, definitionText } from './rows.ts';

/** The only format that is offered. */
const FORMAT = 'dc+sd-jwt';
const ALGORITHMS: readonly string[] = WALLET_ALGORITHMS;

/** Maximum length of the URI of a logo, in characters. Beyond it: `invalid`. */
const MAX_URI_LENGTH = 2_048;
const LOCALE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/;
const COLOR = /^#[0-9A-Fa-f]{6}$/;
/** Maximum length of the description of a logo or claim, in characters. Beyond it: `invalid`. */
const MAX_DESCRIPTION_LENGTH = 1_000;

/**
 * Returns what a configuration says, complete. Throws AppError `invalid` with the rule that it breaks.
 */
export function definitionOf(request: CreateConfigurationRequest): Definition {
    const { format, vct, display, claims, max_keys = 1, proof_algs } = request;
    insist(format === FORMAT, `format must be ${FORMAT}.`);
    insist(isVct(vct), `vct must be a URI of at most ${MAX_TYPE_LENGTH} characters.`);
    insist(max_keys >= 1 && max_keys <= MAX_OFFER_KEYS, `max_keys must be from 1 to ${MAX_OFFER_KEYS}.`);
    insist(
        proof_algs.every((alg) => ALGORITHMS.includes(alg)),
        `proof_algs must be some of ${ALGORITHMS.join(', ')}.`,
    );
    insist(inSeveralLanguages(display) && display.every(isDisplay), DISPLAY);
    insist(claims.length <= MAX_DESCRIBED_CLAIMS && claims.every(isDescription), CLAIMS);
    const algs = ALGORITHMS.filter((alg) => proof_algs.length === 0 || proof_algs.includes(alg));
    const definition = { format, vct, display, claims, max_keys, proof_algs: algs };
    const bytes = Buffer.byteLength(definitionText(definition));
    insist(bytes <= MAX_CONFIGURATION_BYTES, `A configuration may have at most ${MAX_CONFIGURATION_BYTES >> 10} KiB.`);
    insist(areConsistent(claims), CONSISTENT);
    return definition;
}

const DISPLAY = `display must have at most ${MAX_DISPLAYS} entries, each in another locale, with a name, colors such as #12ab34 and an https logo.`;
const CLAIMS = `claims must have at most ${MAX_DESCRIBED_CLAIMS} entries, each with a path that begins with a name and has at most ${MAX_CLAIM_PATH} parts, and displays in different locales.`;
const CONSISTENT =
    'claims must describe each claim once, and each place in one way: as an object, or as an array by its indexes, or as an array with null for all its elements.';

function insist(condition: boolean, otherwise: string): void {
    if (!condition) throw invalid(otherwise);
}

function inSeveralLanguages(display: ReadonlyArray<Pick<Display, 'name' | 'locale'>>): boolean {
    const locales = new Set(display.map(({ locale }) => locale?.toLowerCase()));
    return (
        display.length <= MAX_DISPLAYS &&
        locales.size === display.length &&
        display.every(({ name, locale }) => isName(name) && matches(LOCALE, locale))
    );
}

function isDisplay({ description, background_color, text_color, logo }: Display): boolean {
    return (
        (description === undefined || isText(description, MAX_DESCRIPTION_LENGTH)) &&
        matches(COLOR, background_color) &&
        matches(COLOR, text_color) &&
        (logo === undefined ||
            (logo.length <= MAX_URI_LENGTH && logo.startsWith('https://') && isUri(logo) && URL.canParse(logo)))
    );
}

function isDescription({ path, display }: ClaimDescription): boolean {
    const beginsWithName = path[0]?.name !== undefined; // the claims are the members of an object
    return beginsWithName && path.length <= MAX_CLAIM_PATH && path.every(isStep) && inSeveralLanguages(display);
}

/** False if a claim is described twice, or a place in two ways (OpenID4VCI 1.0, appendix B). */
function areConsistent(claims: readonly ClaimDescription[]): boolean {
    const described = new Set<string>();
    const kinds = new Map<string, string>(); // of the steps that lead on from a place
    for (const { path } of claims) {
        let place = '';
        for (const step of path) {
            const kind = step.name !== undefined ? 'name' : step.index !== undefined ? 'index' : 'all';
            if ((kinds.get(place) ?? kind) !== kind) return false;
            kinds.set(place, kind);
            place += JSON.stringify([step.name, step.index]);
        }
        if (described.has(place)) return false;
        described.add(place);
    }
    return true;
}

function isStep({ name, index = 0 }: ClaimPathStep): boolean {
    return (name === undefined || isName(name)) && index <= MAX_CLAIM_INDEX;
}

function isName(text: string): boolean {
    return text !== '' && isText(text, MAX_NAME_LENGTH);
}

function matches(pattern: RegExp, text: string | undefined): boolean {
    return text === undefined || pattern.test(text);
}
