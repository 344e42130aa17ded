{{/* A database to try the service: one pod with a volume, its Service and its NetworkPolicy. */}}
{{- define "bundled.store" }}
{{- $names := dict "root" .root "component" .store }}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "name" .root }}-{{ .store }}
  labels:
    {{- include "labels" $names | nindent 4 }}
spec:
  clusterIP: None
  selector:
    {{- include "selector" $names | nindent 4 }}
  ports:
    - { name: {{ .store }}, port: {{ .port }} }
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ include "name" .root }}-{{ .store }}
  labels:
    {{- include "labels" $names | nindent 4 }}
spec:
  replicas: 1
  serviceName: {{ include "name" .root }}-{{ .store }}
  selector:
    matchLabels:
      {{- include "selector" $names | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "selector" $names | nindent 8 }}
    spec:
      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        runAsUser: {{ .uid }}
        runAsGroup: {{ .uid }}
        fsGroup: {{ .uid }}
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: {{ .store }}
          image: {{ .image }}
          args: {{ toJson .args }}
          env:
            {{- toYaml .env | nindent 12 }}
          ports:
            - { name: {{ .store }}, containerPort: {{ .port }} }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          readinessProbe:
            exec: { command: {{ toJson .ready }} }
            periodSeconds: 5
          resources:
            requests: { cpu: 100m, memory: 128Mi }
            limits: { memory: 512Mi }
          volumeMounts:
            - { name: data, mountPath: {{ .mount }} }
            {{- range .writable }}
            - { name: scratch, mountPath: {{ . }} }
            {{- end }}
            {{- with .files }}
            - { name: files, mountPath: {{ .at }}, readOnly: true }
            {{- end }}
      {{- if or .writable .files }}
      volumes:
        {{- if .writable }}
        - { name: scratch, emptyDir: {} }
        {{- end }}
        {{- if .files }}
        - { name: files, configMap: { name: {{ include "name" .root }}-{{ .store }} } }
        {{- end }}
      {{- end }}
  volumeClaimTemplates:
    - metadata: { name: data }
      spec:
        accessModes: [ReadWriteOnce]
        resources: { requests: { storage: {{ .root.Values.bundled.storage }} } }
{{- with .files }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "name" $.root }}-{{ $.store }}
  labels:
    {{- include "labels" $names | nindent 4 }}
data:
  {{- ($.root.Files.Glob .from).AsConfig | nindent 2 }}
{{- end }}
{{- if .root.Values.networkPolicy.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "name" .root }}-{{ .store }}
  labels:
    {{- include "labels" $names | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "selector" $names | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports: [{ port: {{ .port }} }]
      from:
        - podSelector:
            matchLabels:
              app.kubernetes.io/name: {{ .root.Chart.Name }}
              app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}
{{- end }}
