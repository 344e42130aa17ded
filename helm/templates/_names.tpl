{{/*
The name of the release's objects. The name of a role's object is this, a hyphen and the role. Kubernetes accepts names of
63 characters (`<name>-presentations-ops`), and those of a StatefulSet only up to 52 (`<name>-postgres`).
*/}}
{{- define "name" -}}
{{- $long := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) -}}
{{- $long | trunc 43 | trimSuffix "-" }}
{{- end }}

{{/* The labels that select the objects of one component. Takes (dict "root" $ "component" name). */}}
{{- define "selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* All labels of an object. Takes (dict "root" $ "component" name). */}}
{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ default .Chart.AppVersion .Values.image.tag }}{{ end }}
{{- end }}

{{/* The Secret that the pods read. */}}
{{- define "secret" -}}
{{- if .Values.bundled.enabled }}{{ include "name" . }}-try
{{- else }}{{ required "secrets.existingSecret: name a Secret with the keys that README.md lists, or set bundled.enabled=true to try the service" .Values.secrets.existingSecret }}
{{- end }}
{{- end }}
