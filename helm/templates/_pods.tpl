{{/* Pods run without a cluster token, root or privileges. */}}
{{- define "pod.security" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Where a pod may run. Takes (dict "root" $ "values" the values of a role). */}}
{{- define "pod.placement" -}}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- range $name := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $.values $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "container.security" -}}
image: {{ include "image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Further certificate authorities: Node trusts those of the file in addition to the public ones. */}}
{{- define "trustedCa.env" -}}
- { name: NODE_EXTRA_CA_CERTS, value: /run/trusted-ca/{{ .Values.trustedCa.key }} }
{{- end }}

{{- define "trustedCa.mount" -}}
- { name: trusted-ca, mountPath: /run/trusted-ca, readOnly: true }
{{- end }}

{{- define "trustedCa.volume" -}}
- name: trusted-ca
  secret:
    secretName: {{ .Values.trustedCa.existingSecret }}
    defaultMode: 0440
    items: [{ key: {{ .Values.trustedCa.key }}, path: {{ .Values.trustedCa.key }} }]
{{- end }}

{{/* The environment variables that name the files of secrets. Takes the list of "role.secrets". */}}
{{- define "secret.env" -}}
{{- range . }}
- { name: {{ .setting }}_FILE, value: /run/secrets/service/{{ .key }} }
{{- end }}
{{- end }}

{{/* The volume with the secrets of a role. Takes (dict "root" $ "settings" the list of "role.secrets"). */}}
{{- define "secret.volume" -}}
- name: secrets
  secret:
    secretName: {{ include "secret" .root }}
    defaultMode: 0440
    items:
      {{- range .settings }}
      - { key: {{ .key }}, path: {{ .key }} }
      {{- end }}
{{- end }}

{{- define "grpcTls.env" -}}
- { name: GRPC_TLS_CERT_FILE, value: /run/secrets/grpc/tls.crt }
- { name: GRPC_TLS_KEY_FILE, value: /run/secrets/grpc/tls.key }
- { name: GRPC_TLS_CA_FILE, value: /run/secrets/grpc/ca.crt }
- { name: GRPC_TLS_MUTUAL, value: {{ ternary "1" "0" .Values.grpcTls.mutual | quote }} }
{{- end }}
