{{/* The secrets that each service reads in addition to the Redis URL and the service token, which all roles need. */}}
{{- define "service.secrets" -}}
identity: [databaseUrl, serviceCallers, idempotencyPepper, jwtKeys]
keys: [databaseUrl, serviceCallers, idempotencyPepper]
did: [databaseUrl, serviceCallers, idempotencyPepper]
signing: [databaseUrl, serviceCallers, idempotencyPepper, kek, vaultToken]
credentials: [databaseUrl, serviceCallers, idempotencyPepper]
presentations: [databaseUrl, serviceCallers, idempotencyPepper]
wallet: [databaseUrl, serviceCallers, idempotencyPepper]
usage: [databaseUrl, serviceCallers]
events: [databaseUrl, serviceCallers]
webhooks: [databaseUrl, serviceCallers, idempotencyPepper]
exchange: [databaseUrl, serviceCallers, idempotencyPepper]
{{- end }}

{{/*
All roles: which services each one calls, whether it has tables, and which secrets it reads. The gateway calls every
service, in the order of _calls.tpl. Fails if the values name other roles.
*/}}
{{- define "roles" -}}
{{- $text := include "service.calls" . -}}
{{- $services := regexFindAll "(?m)^[a-z]+" $text -1 -}}
{{- range $role, $_ := omit .Values.roles "gateway" }}
{{- if not (has $role $services) }}{{ fail (printf "roles.%s: must be one of the roles gateway, %s" $role (join ", " $services)) }}{{ end }}
{{- end }}
{{- range $role, $_ := .Values.secrets.databases }}
{{- if not (has $role $services) }}{{ fail (printf "secrets.databases.%s: must be one of the services %s" $role (join ", " $services)) }}{{ end }}
{{- end }}
{{- range $role, $_ := .Values.networkPolicy.grpcFrom }}
{{- if not (has $role $services) }}{{ fail (printf "networkPolicy.grpcFrom.%s: must be one of the services %s" $role (join ", " $services)) }}{{ end }}
{{- end -}}
gateway: { calls: {{ toJson $services }}, database: false, secrets: [internalSecret, internalSecretPrevious] }
{{- $calls := fromYaml $text }}
{{- $secrets := include "service.secrets" . | fromYaml }}
{{- range $services }}
{{ . }}: { calls: {{ get $calls . | toJson }}, database: true, secrets: {{ get $secrets . | required (printf "service.secrets lacks %s" .) | toJson }} }
{{- end }}
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
