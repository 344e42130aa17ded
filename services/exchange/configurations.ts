import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type {
    Configuration,
    CreateConfigurationRequest,
    DeleteConfigurationRequest,
    GetConfigurationRequest,
    ListConfigurationsRequest,
    ListConfigurationsResponse,
} from '../../proto/gen/exchange/v1/exchange.ts';
import { MAX_CONFIGURATIONS } from '../../proto/limits.ts';
import { definitionOf } from './definition.ts';
import type { ExchangeDependencies } from './dependencies.ts';
import { configurationOf } from './rows.ts';
import { newConfigurationId, offeringIssuer, ownConfiguration, unknownConfiguration } from './rules.ts';

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
    return configurationOf({ ...created, definition: JSON.stringify(definition) });
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
