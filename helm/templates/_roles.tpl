{{/*
The services, as in docs/architecture.md: which other services each one calls over gRPC, whether it has tables, and which
secrets it reads in addition to the Redis URL and the service token, which all roles need.
*/}}
{{- define "services" -}}
identity: { calls: [keys, did, signing, credentials, presentations, wallet, usage, events, webhooks, exchange], database: true, secrets: [databaseUrl, serviceCallers, idempotencyPepper, jwtKeys] }
keys: { calls: [usage, events], database: true, secrets: [databaseUrl, serviceCallers, idempotencyPepper] }
did: { calls: [], database: true, secrets: [databaseUrl, serviceCallers, idempotencyPepper] }
signing: { calls: [did, events], database: true, secrets: [databaseUrl, serviceCallers, idempotencyPepper, kek, vaultToken] }
credentials: { calls: [did, signing, events], database: true, secrets: [databaseUrl, serviceCallers, idempotencyPepper] }
presentations: { calls: [credentials, signing], database: true, secrets: [databaseUrl, serviceCallers, idempotencyPepper] }
wallet: { calls: [did, signing, events], database: true, secrets: [databaseUrl, serviceCallers, idempotencyPepper] }
usage: { calls: [], database: true, secrets: [databaseUrl, serviceCallers] }
events: { calls: [], database: true, secrets: [databaseUrl, serviceCallers] }
webhooks: { calls: [events, signing], database: true, secrets: [databaseUrl, serviceCallers, idempotencyPepper] }
exchange: { calls: [keys, signing, credentials, events], database: true, secrets: [databaseUrl, serviceCallers, idempotencyPepper] }
{{- end }}

{{/* All roles. The gateway calls every service, in the order of the list above. Fails if the values name other roles. */}}
{{- define "roles" -}}
{{- $services := include "services" . -}}
{{- $calls := regexFindAll "(?m)^[a-z]+" $services -1 -}}
{{- range $role, $_ := omit .Values.roles "gateway" }}
{{- if not (has $role $calls) }}{{ fail (printf "roles.%s: must be one of the roles gateway, %s" $role (join ", " $calls)) }}{{ end }}
{{- end }}
{{- range $role, $_ := .Values.secrets.databases }}
{{- if not (has $role $calls) }}{{ fail (printf "secrets.databases.%s: must be one of the services %s" $role (join ", " $calls)) }}{{ end }}
{{- end }}
{{- range $role, $_ := .Values.networkPolicy.grpcFrom }}
{{- if not (has $role $calls) }}{{ fail (printf "networkPolicy.grpcFrom.%s: must be one of the services %s" $role (join ", " $calls)) }}{{ end }}
{{- end -}}
gateway: { calls: {{ toJson $calls }}, database: false, secrets: [internalSecret, internalSecretPrevious] }
{{ $services }}
{{- end }}

{{/* The values of one role: `defaults`, overridden by `roles.<role>`. Takes (dict "root" $ "role" name). */}}
{{- define "role.values" -}}
{{- $defaults := deepCopy .root.Values.defaults -}}
{{- mergeOverwrite $defaults (get .root.Values.roles .role | default dict | deepCopy) | toYaml -}}
{{- end }}

{{/* The setting that each entry of secrets.keys provides. */}}
{{- define "secret.settings" -}}
databaseUrl: DATABASE_URL
redisUrl: REDIS_URL
internalSecret: INTERNAL_SECRET
internalSecretPrevious: INTERNAL_SECRET_PREVIOUS
serviceToken: SERVICE_TOKEN
serviceCallers: SERVICE_CALLERS
idempotencyPepper: IDEMPOTENCY_PEPPER
jwtKeys: JWT_KEYS
kek: KEK
vaultToken: VAULT_TOKEN
{{- end }}

{{/*
The keys of the Secret that a role reads, as {settings: [{setting, key}]}. Takes (dict "root" $ "role" name "secrets" list).
usage reads the counts in all databases, and migrate changes all of them.
*/}}
{{- define "role.secrets" -}}
{{- $settings := include "secret.settings" . | fromYaml -}}
settings:
{{- range $name := .secrets }}
{{- with get $.root.Values.secrets.keys $name }}
  - { setting: {{ get $settings $name }}, key: {{ . }} }
{{- end }}
{{- end }}
{{- range $role, $key := .root.Values.secrets.databases }}
{{- if and (has "databaseUrl" $.secrets) (has $.role (list $role "usage" "migrate")) }}
  - { setting: DATABASE_URL_{{ upper $role }}, key: {{ $key }} }
{{- end }}
{{- end }}
{{- if and .root.Values.secrets.credentialParts (has "databaseUrl" .secrets) (has .role (list "credentials" "usage" "migrate")) }}
  - { setting: CREDENTIAL_PARTS, key: {{ .root.Values.secrets.credentialParts }} }
{{- end }}
{{- end }}

{{/* The settings of a role that are not secrets, with the addresses of the roles that it calls. Takes (dict "root" $ "role" name "of" its entry "values" its values). */}}
{{- define "role.settings" -}}
{{- $settings := merge (deepCopy .values.settings) .root.Values.settings -}}
{{- range .of.calls }}
{{- $_ := set $settings (printf "%s_ADDRESS" (upper .)) (printf "%s-%s:50051" (include "name" $.root) .) -}}
{{- end }}
{{- toYaml $settings -}}
{{- end }}
