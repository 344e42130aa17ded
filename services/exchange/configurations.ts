import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { isId } from '../../platform/uuid.ts';
import type {
    Configuration,
    CreateConfigurationRequest,
    DeleteConfigurationRequest,
    GetConfigurationRequest,
    ListAllConfigurationsRequest,
    ListAllConfigurationsResponse,
    ListConfigurationsRequest,
    ListConfigurationsResponse,
} from '../../proto/gen/exchange/v1/exchange.ts';
import { MAX_CONFIGURATIONS } from '../../proto/limits.ts';
import { definitionOf } from './definition.ts';
import type { ExchangeDependencies } from './dependencies.ts';
import { configurationOf, definitionText } from './rows.ts';
import {
    isConfigurationId,
    newConfigurationId,
    offeringIssuer,
    ownConfiguration,
    unknownConfiguration,
} from './rules.ts';

/** Number of configurations of a page, so that its answer is below 2 MiB. Beyond it: the page has a cursor. */
const PAGE_CONFIGURATIONS = 90;

/** Adds a configuration to an issuer. Another one with the same id stays as it is. */
export async function createConfiguration(
    deps: ExchangeDependencies,
    request: CreateConfigurationRequest,
    context: CallContext,
): Promise<Configuration> {
    const account = requireUser(context);
    const id = newConfigurationId(request.configuration_id);
    const definition = definitionOf(request);
    const { issuer } = await offeringIssuer(deps, request.issuer_id, context);
    const created = { account, issuer: issuer.issuer_id, id, created_at: new Date(deps.clock()).toISOString() };
    const outcome = await deps.configurations.insert({ ...created, definition }, context);
    if (outcome === 'exists') throw new AppError('conflict', 'This issuer has a configuration with this id.');
    if (outcome === 'full') {
        throw new AppError('conflict', `An issuer may have at most ${MAX_CONFIGURATIONS} configurations.`);
    }
    return configurationOf({ ...created, definition: definitionText(definition) });
}

export async function listConfigurations(
    { configurations, services }: ExchangeDependencies,
    { issuer_id }: ListConfigurationsRequest,
    context: CallContext,
): Promise<ListConfigurationsResponse> {
    const account = requireUser(context);
    await services.signing.getIssuer({ issuer_id }, context); // throws if it is none of the account
    const rows = await configurations.list({ account, issuer: issuer_id }, context);
    return { configurations: rows.map(configurationOf) };
}

/** The configurations of all issuers of the account. A cursor names the last one of the page before. */
export async function listAllConfigurations(
    { configurations }: ExchangeDependencies,
    { cursor }: ListAllConfigurationsRequest,
    context: CallContext,
): Promise<ListAllConfigurationsResponse> {
    const account = requireUser(context);
    const after = cursor === undefined ? undefined : positionOf(cursor);
    const rows = await configurations.listAll({ account, after, limit: PAGE_CONFIGURATIONS + 1 }, context);
    const page = rows.slice(0, PAGE_CONFIGURATIONS);
    const last = page.length < rows.length ? page.at(-1) : undefined;
    return { configurations: page.map(configurationOf), next_cursor: last && `${last.issuer}/${last.id}` };
}

function positionOf(cursor: string): { issuer: string; id: string } {
    const [issuer = '', id = ''] = cursor.split('/', 2);
    if (!isId(issuer) || !isConfigurationId(id)) throw invalid('cursor is not one of this list.');
    return { issuer, id };
}

export async function getConfiguration(
    { configurations }: ExchangeDependencies,
    { issuer_id, configuration_id }: GetConfigurationRequest,
    context: CallContext,
): Promise<Configuration> {
    const row = await configurations.find(ownConfiguration(issuer_id, configuration_id, context), context);
    if (!row) throw unknownConfiguration();
    return configurationOf(row);
}

export async function deleteConfiguration(
    { configurations }: ExchangeDependencies,
    { issuer_id, configuration_id }: DeleteConfigurationRequest,
    context: CallContext,
): Promise<{ configuration_id: string }> {
    const removed = await configurations.remove(ownConfiguration(issuer_id, configuration_id, context), context);
    if (!removed) throw unknownConfiguration();
    return { configuration_id };
}
