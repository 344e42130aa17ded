{{/* Which other services each service calls over gRPC. `npm run reference` writes it from docs/architecture.md, table "Roles". */}}
{{- define "service.calls" -}}
identity: [usage, events, keys, did, signing, credentials, presentations, wallet, webhooks, exchange]
keys: [usage, events]
did: []
signing: [did, events]
credentials: [did, signing, events]
presentations: [credentials, signing]
wallet: [did, signing, events]
usage: []
events: []
webhooks: [events, signing]
exchange: [signing, keys, credentials, events]
{{- end }}
