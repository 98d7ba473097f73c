{{- define "tributary.labels" -}}
app.kubernetes.io/name: tributary
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "tributary.selector" -}}
app.kubernetes.io/name: tributary
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tributary.name" -}}
{{- if contains "tributary" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-tributary" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tributary.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Settings and secrets, the same for servers, workers and migrations. */}}
{{- define "tributary.env" -}}
- { name: BASE_URL, value: {{ .Values.baseUrl | quote }} }
{{- with .Values.proxyOrigin }}
- { name: TRIBUTARY_PROXY_ORIGIN, value: {{ . | quote }} }
{{- end }}
- { name: TRUST_PROXY, value: {{ .Values.trustProxy | quote }} }
- { name: DATABASE_URL_FILE, value: /run/secrets/tributary/database_url }
- { name: TRIBUTARY_KEY_FILE, value: /run/secrets/tributary/key }
- { name: TRIBUTARY_ADMIN_TOKEN_FILE, value: /run/secrets/tributary/admin_token }
{{- range $name, $value := .Values.env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "tributary.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "tributary.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "tributary.volumeMounts" -}}
- { name: secrets, mountPath: /run/secrets/tributary, readOnly: true }
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "tributary.volumes" -}}
- name: secrets
  secret: { secretName: {{ .Values.existingSecret }}, defaultMode: 0440 }
- { name: data, emptyDir: {} }
- { name: tmp, emptyDir: {} }
{{- end }}

{{/* A Deployment; arguments: root, component, settings, args, port. */}}
{{- define "tributary.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "tributary.name" .root }}-{{ .component }}
  labels:
    {{- include "tributary.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if not .settings.autoscaling.enabled }}
  replicas: {{ .settings.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "tributary.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template:
    metadata:
      labels:
        {{- include "tributary.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
    spec:
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
      securityContext:
        {{- include "tributary.podSecurity" .root | nindent 8 }}
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: tributary
          image: {{ include "tributary.image" .root | quote }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          args: {{ toJson .args }}
          env:
            {{- include "tributary.env" .root | nindent 12 }}
          ports:
            - { name: http, containerPort: 8042 }
          startupProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 2
            # Migrations of a large database take time.
            failureThreshold: 300
          livenessProbe:
            httpGet: { path: /healthz, port: http }
            periodSeconds: 10
            failureThreshold: 3
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 5
            timeoutSeconds: 6
          lifecycle:
            # So that the endpoints are updated before connections are refused.
            preStop: { exec: { command: [sleep, "5"] } }
          resources:
            {{- toYaml .settings.resources | nindent 12 }}
          securityContext:
            {{- include "tributary.containerSecurity" .root | nindent 12 }}
          volumeMounts:
            {{- include "tributary.volumeMounts" .root | nindent 12 }}
      volumes:
        {{- include "tributary.volumes" .root | nindent 8 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "tributary.selector" .root | nindent 14 }}
              app.kubernetes.io/component: {{ .component }}
      {{- with .root.Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .root.Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .root.Values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}

{{/* A HorizontalPodAutoscaler; arguments: root, component, settings. */}}
{{- define "tributary.autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "tributary.name" .root }}-{{ .component }}
  labels:
    {{- include "tributary.labels" .root | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "tributary.name" .root }}-{{ .component }}
  minReplicas: {{ .settings.autoscaling.minReplicas }}
  maxReplicas: {{ .settings.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .settings.autoscaling.targetCpuUtilizationPercentage }} }
{{- end }}
