import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { QUOTA_VARIABLES, type QuotaSettings } from '#model/apps/quota-variables.ts'
import { weaknessOf } from '#platform/crypto/weak-secret.ts'
import { codeOf, reasonOf, SetupError } from '#platform/errors.ts'
import { decodePercent } from '#platform/formats/decode-percent.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { LOG_LEVELS, type LogLevel } from '#platform/telemetry/log.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import { hasUserInfo } from '#platform/user-info.ts'
import { problemsOfKeys } from './key-file.ts'
import { parseAddresses, parseNetworks, splitList } from './networks.ts'
import { checkProxyOrigin, parseProxyOrigin, parseProxyPorts } from './proxy-origin.ts'

export interface Config extends QuotaSettings {
  databaseUrl: string | undefined
  databaseReadUrl: string | undefined
  engineUrl: string | undefined
  databasePool: number
  preparedStatements: boolean
  port: number
  workerPort: number | undefined
  host: string
  baseUrl: string
  proxyOrigin: string | undefined
  proxyPorts: Record<string, number>
  dataDir: string
  key: string | undefined
  adminToken: string | undefined
  allowPrivate: string[]
  allowPrivateTyped: string[]
  trustProxy: string[]
  connectorsDir: string | undefined
  filesDir: string | undefined
  sunsetMs: number | undefined
  logLevel: LogLevel
  logFormat: 'json' | 'text'
  logDays: number
  auditDays: number
  drainMs: number
  workerMemoryMb: number
  workerStallMs: number
  otlpUrl: string | undefined
  otlpTracesUrl: string | undefined
  otlpHeaders: Record<string, string>
  serviceName: string
  resourceAttributes: Record<string, string>
  traceShare: number
  tracingOff: boolean
}

interface Variable<T> {
  name: string
  /** As written in the environment; undefined: the setting stays undefined when the variable is unset. */
  fallback: string | undefined
  meaning: string
  read: (text: string) => T
}

type Table = { [K in keyof Config]: Variable<Exclude<Config[K], undefined>> }

/** All settings. `docs/config.md` is generated from this table. */
export const VARIABLES: Table = {
  databaseUrl: {
    name: 'DATABASE_URL',
    fallback: undefined,
    meaning: 'PostgreSQL 15 or newer. Unset: an embedded PostgreSQL 18 in the data folder.',
    read: parsePostgresUrl,
  },
  databaseReadUrl: {
    name: 'DATABASE_READ_URL',
    fallback: undefined,
    meaning:
      'A streaming replica of that database. Requests with `max_staleness` read items there while it is recent enough; everything else uses `DATABASE_URL`. Unset: all reads use `DATABASE_URL`.',
    read: parsePostgresUrl,
  },
  engineUrl: {
    name: 'ENGINE_URL',
    fallback: undefined,
    meaning: 'Without effect: there is no job engine any more. A start with it logs a warning.',
    read: parsePostgresUrl,
  },
  databasePool: {
    name: 'DATABASE_POOL',
    fallback: '10',
    meaning:
      'Maximum number of connections that the server, and each of its sync and deliver workers, opens to the database.',
    read: (text) => parseWholeNumber(text, 2, 1000),
  },
  preparedStatements: {
    name: 'DATABASE_PREPARED',
    fallback: 'true',
    meaning:
      'Whether to use named prepared statements. `false` for a transaction pooler that does not support them (PgBouncer before 1.21).',
    read: parseBoolean,
  },
  port: {
    name: 'PORT',
    fallback: '8042',
    meaning: 'Port of the API and the pages. `0` picks a free one.',
    read: (text) => parseWholeNumber(text, 0, 65_535),
  },
  workerPort: {
    name: 'WORKER_PORT',
    fallback: undefined,
    meaning:
      'Port of `/healthz`, `/readyz` and `/metrics` of `tributary work`. `0` picks a free one. Unset: it listens on none.',
    read: (text) => parseWholeNumber(text, 0, 65_535),
  },
  host: {
    name: 'HOST',
    fallback: '127.0.0.1',
    meaning: 'Address to listen on. `0.0.0.0` in a container or behind a load balancer.',
    read: (text) => text,
  },
  baseUrl: {
    name: 'BASE_URL',
    fallback: '',
    meaning:
      'The address at which people and services reach this server, without a trailing slash. Unset: `http://localhost:$PORT`.',
    read: parseWebAddress,
  },
  proxyOrigin: {
    name: 'TRIBUTARY_PROXY_ORIGIN',
    fallback: undefined,
    meaning:
      'The origins at which the proxy stands for one service each, with `{service}` as a label of the host or a part of its first one (`https://{service}.proxy.example.com`). Nothing else is served there. Unset: `http://{service}.localhost:$PORT` where `BASE_URL` is `http://localhost:$PORT`, otherwise none.',
    read: parseProxyOrigin,
  },
  proxyPorts: {
    name: 'TRIBUTARY_PROXY_PORTS',
    fallback: '',
    meaning:
      'Further ports at which the proxy stands for one service each, for places where host names cannot be chosen (`github=8101,google=8102`). Unset: none.',
    read: parseProxyPorts,
  },
  dataDir: {
    name: 'TRIBUTARY_DATA',
    fallback: './data',
    meaning: 'Folder for the embedded database, the key file and the admin token.',
    read: (text) => resolve(text),
  },
  key: {
    name: 'TRIBUTARY_KEY',
    fallback: undefined,
    meaning:
      'The sealing key, 32 bytes in base64; several, comma-separated, while rotating (the first one seals). Unset: `keyring.json` in the data folder.',
    read: (text) => text,
  },
  adminToken: {
    name: 'TRIBUTARY_ADMIN_TOKEN',
    fallback: undefined,
    meaning:
      'Token of the admin API, at least 24 characters. Unset: the file `admin-token` in the data folder, created at the first start.',
    read: (text) => requireHardToGuess(requireLength(text, 24)),
  },
  allowPrivate: {
    name: 'TRIBUTARY_ALLOW_PRIVATE',
    fallback: '',
    meaning:
      'Private networks in which the addresses of key overrides, destinations and webhooks may be, as CIDR, comma-separated (`127.0.0.0/8,10.1.0.0/16`). Not for servers that people name. Unset: none.',
    read: parseNetworks,
  },
  allowPrivateTyped: {
    name: 'TRIBUTARY_ALLOW_PRIVATE_TYPED',
    fallback: '',
    meaning:
      'Private networks in which servers that people name may be (an instance of Mastodon, a site, a calendar server, a feed), as CIDR, comma-separated. Everybody who can open a sign-in page can have them called. Unset: none.',
    read: parseNetworks,
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    fallback: '',
    meaning:
      'Addresses or networks of your own proxies, comma-separated (`127.0.0.1,10.0.0.0/8`). `X-Forwarded-For` and `X-Forwarded-Proto` are accepted only from these. Unset or `false`: from no address.',
    read: parseAddresses,
  },
  connectorsDir: {
    name: 'TRIBUTARY_CONNECTORS',
    fallback: undefined,
    meaning:
      'Folder with your own connectors (`.ts`, `.js`, `.mjs`) and services as data (`.services.json`); one with the service name of a built-in connector replaces it.',
    read: (text) => resolve(text),
  },
  filesDir: {
    name: 'TRIBUTARY_FILES',
    fallback: undefined,
    meaning:
      'Folder in which apps may have files delivered (`file://` destinations of the kind `files`), each in a subfolder named after its client id. Unset: not allowed.',
    read: (text) => resolve(text),
  },
  sunsetMs: {
    name: 'TRIBUTARY_SUNSET',
    fallback: undefined,
    meaning:
      'A day (`2027-08-05`) or time after which items are only available by push and no longer over the API. Until then, responses announce it. Unset: never.',
    read: parseTime,
  },
  ...QUOTA_VARIABLES,
  logLevel: {
    name: 'LOG_LEVEL',
    fallback: 'info',
    meaning: `One of ${LOG_LEVELS.join(', ')}.`,
    read: (text) => parseChoice(text, LOG_LEVELS),
  },
  logFormat: {
    name: 'LOG_FORMAT',
    fallback: 'json',
    meaning: 'One of json, text.',
    read: (text) => parseChoice(text, ['json', 'text'] as const),
  },
  logDays: {
    name: 'LOG_DAYS',
    fallback: '14',
    meaning: 'How many days sign-ins, syncs, proxied calls and deliveries stay in the log of their app (1 to 400).',
    read: (text) => parseWholeNumber(text, 1, 400),
  },
  auditDays: {
    name: 'AUDIT_DAYS',
    fallback: '400',
    meaning: 'How many days entries stay in the audit log (30 to 3650).',
    read: (text) => parseWholeNumber(text, 30, 3650),
  },
  drainMs: {
    name: 'DRAIN_SECONDS',
    fallback: '25',
    meaning: 'How long running requests and jobs may take to finish after SIGTERM.',
    read: (text) => parseWholeNumber(text, 0, 3600) * 1000,
  },
  workerMemoryMb: {
    name: 'WORKER_MEMORY_MB',
    fallback: '512',
    meaning: 'Memory that one worker process may use. A process that uses more is killed and started again.',
    read: (text) => parseWholeNumber(text, 128, 1_048_576),
  },
  workerStallMs: {
    name: 'WORKER_STALL_SECONDS',
    fallback: '10',
    meaning: 'A worker process that does not respond for this long is killed and started again.',
    read: (text) => parseWholeNumber(text, 2, 3600) * 1000,
  },
  otlpUrl: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: undefined,
    meaning:
      'An OpenTelemetry collector that accepts OTLP over HTTP (`http://localhost:4318`); traces are sent to its `/v1/traces`. Unset: no traces.',
    read: parseWebAddress,
  },
  otlpTracesUrl: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    fallback: undefined,
    meaning: 'The full address for traces, if it differs from the one above.',
    read: parseWebAddress,
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    fallback: '',
    meaning: 'Headers for the collector, `name=value`, comma-separated, percent-encoded.',
    read: parsePairs,
  },
  serviceName: {
    name: 'OTEL_SERVICE_NAME',
    fallback: 'tributary',
    meaning: 'The name of this service in traces.',
    read: (text) => text,
  },
  resourceAttributes: {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    fallback: '',
    meaning: 'Further attributes of this process in traces, `name=value`, comma-separated, percent-encoded.',
    read: parsePairs,
  },
  traceShare: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1',
    meaning:
      'The share of traces beginning here that is recorded, 0 to 1. For requests with `traceparent`, the caller decides.',
    read: parseShare,
  },
  tracingOff: {
    name: 'OTEL_SDK_DISABLED',
    fallback: 'false',
    meaning: '`true` turns traces off, whatever else is set.',
    read: parseBoolean,
  },
}

export type Environment = Record<string, string | undefined>

/** Reads every setting once and reports all errors together. `overrides` come from the command line and take precedence. */
export function loadConfig(env: Environment, overrides: Environment = {}): Config {
  const problems: string[] = []
  const merged = { ...env, ...overrides }
  const config: Record<string, unknown> = {}
  for (const [field, variable] of Object.entries(VARIABLES) as [string, Variable<unknown>][]) {
    try {
      const text = valueOf(merged, variable.name) ?? variable.fallback
      config[field] = text === undefined ? undefined : variable.read(text)
    } catch (error) {
      problems.push(`${variable.name}: ${reasonOf(error)}`)
    }
  }
  const loaded = config as unknown as Config
  if (loaded.baseUrl === '') loaded.baseUrl = `http://localhost:${loaded.port}`
  try {
    if (problems.length === 0) checkProxyOrigin(loaded)
  } catch (error) {
    problems.push(reasonOf(error))
  }
  if (problems.length > 0) {
    const all = [...problems, ...problemsOfKeys(loaded.key)].join('\n  ')
    const help = 'Every variable with its default is listed in docs/config.md.'
    throw new SetupError(`The configuration is invalid.\n  ${all}`, { code: 'config_invalid', help })
  }
  return loaded
}

// Every variable also exists as `<NAME>_FILE`, so that secrets can come from a mounted file.
function valueOf(env: Environment, name: string): string | undefined {
  const direct = env[name]
  if (direct !== undefined && direct !== '') return direct
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`the file named by ${name}_FILE cannot be read (${codeOf(error)}): ${file}`, { cause: error })
  }
}

function parseWholeNumber(text: string, min: number, max: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= min && number <= max) return number
  throw new Error(`must be a whole number from ${min} to ${max}, not “${text}”`)
}

function parseTime(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  throw new Error(`must look like 2027-08-05 or 2027-08-05T12:00:00Z, not “${text}”`)
}

function parseShare(text: string): number {
  const number = Number(text)
  if (/^[\d.]+$/.test(text) && number >= 0 && number <= 1) return number
  throw new Error(`must be a number from 0 to 1, not “${text}”`)
}

// The values may be secrets, so the message never repeats them.
function parsePairs(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const part of splitList(text)) {
    const [, name, value = ''] = /^([^=\s]+)\s*=\s*(.*)$/.exec(part) ?? []
    if (name === undefined) throw new Error('must look like name=value,name2=value2')
    const decoded = decodePercent(value)
    if (decoded === undefined) throw new Error(`the value of ${name} is not valid percent-encoding`)
    found[name] = decoded
  }
  return found
}

function parseBoolean(text: string): boolean {
  if (['true', 'yes', '1'].includes(text)) return true
  if (['false', 'no', '0'].includes(text)) return false
  throw new Error(`must be true or false, not “${text}”`)
}

function parseChoice<T extends string>(text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  throw new Error(`must be one of ${choices.join(', ')}, not “${text}”`)
}

// The value may contain a password, so the message never repeats it.
function parsePostgresUrl(text: string): string {
  if (URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol)) return text
  throw new Error('must look like postgres://user:password@host:5432/database')
}

function parseWebAddress(text: string): string {
  if (text === '') return text
  if (URL.canParse(text)) {
    const url = new URL(text)
    if (hasUserInfo(text)) throw new Error('must not contain a user name or a password')
    if (['http:', 'https:'].includes(url.protocol) && url.search === '' && url.hash === '') return trimEndOf(text, '/')
  }
  throw new Error(`must look like https://tributary.example.com, not “${redactText(text)}”`)
}

function requireLength(text: string, length: number): string {
  if (text.length >= length) return text
  throw new Error(`must have at least ${length} characters`)
}

function requireHardToGuess(text: string): string {
  const weakness = weaknessOf(Buffer.from(text))
  if (weakness === undefined) return text
  throw new Error(`is too easy to guess: it ${weakness}. Generate one with: openssl rand -base64 32`)
}
