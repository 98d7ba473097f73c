import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { decodePercent } from './decode-percent.ts'
import { codeOf, reasonOf, SetupError } from './errors.ts'
import { QUOTA_VARIABLES, type QuotaSettings } from './quota-variables.ts'
import { LOG_LEVELS, type LogLevel } from './telemetry/log.ts'
import { redactText } from './telemetry/redact.ts'
import { trimEndOf } from './trim-end.ts'
import { weaknessOf } from './weak-secret.ts'

export interface Config extends QuotaSettings {
  databaseUrl: string | undefined
  engineUrl: string | undefined
  databasePool: number
  preparedStatements: boolean
  port: number
  host: string
  baseUrl: string
  dataDir: string
  key: string | undefined
  adminToken: string | undefined
  allowPrivate: string[]
  trustProxy: string[]
  connectorsDir: string | undefined
  filesDir: string | undefined
  sunsetMs: number | undefined
  logLevel: LogLevel
  logFormat: 'json' | 'text'
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
  /** As written in the environment; undefined when the variable may stay unset. */
  fallback: string | undefined
  meaning: string
  read: (text: string) => T
}

type Table = { [K in keyof Config]: Variable<Exclude<Config[K], undefined>> }

/** Every setting there is. `docs/config.md` is written from this table. */
export const VARIABLES: Table = {
  databaseUrl: {
    name: 'DATABASE_URL',
    fallback: undefined,
    meaning: 'PostgreSQL 15 or newer. Unset: an embedded PostgreSQL 18 in the data folder.',
    read: postgresUrl,
  },
  engineUrl: {
    name: 'ENGINE_URL',
    fallback: undefined,
    meaning: 'A PostgreSQL of its own for the job engine. Unset: the same database.',
    read: postgresUrl,
  },
  databasePool: {
    name: 'DATABASE_POOL',
    fallback: '10',
    meaning: 'Most connections that the server, and each of its sync and deliver workers, opens to the database.',
    read: (text) => wholeNumber(text, 2, 1000),
  },
  preparedStatements: {
    name: 'DATABASE_PREPARED',
    fallback: 'true',
    meaning:
      'Named prepared statements. `false` for a transaction pooler that does not know them (PgBouncer before 1.21).',
    read: parseBoolean,
  },
  port: {
    name: 'PORT',
    fallback: '8042',
    meaning: 'Port of the one door: API and pages. `0` picks a free one.',
    read: (text) => wholeNumber(text, 0, 65_535),
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
      'The address people and services reach this server by, without a trailing slash. Unset: `http://localhost:$PORT`.',
    read: webAddress,
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
      'Token of the admin API, at least 24 characters. Unset: the file `admin-token` in the data folder, made at the first start.',
    read: (text) => hardToGuess(atLeast(text, 24)),
  },
  allowPrivate: {
    name: 'TRIBUTARY_ALLOW_PRIVATE',
    fallback: '',
    meaning:
      'Private networks that outgoing calls may reach, as CIDR, comma-separated (`127.0.0.0/8,10.1.0.0/16`). Unset: none.',
    read: networks,
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    fallback: '',
    meaning:
      'Addresses or networks of your own proxies, comma-separated (`127.0.0.1,10.0.0.0/8`). Only from them are `X-Forwarded-For` and `X-Forwarded-Proto` believed. Unset or `false`: from nobody.',
    read: addresses,
  },
  connectorsDir: {
    name: 'TRIBUTARY_CONNECTORS',
    fallback: undefined,
    meaning:
      'Folder with connectors of your own (`.ts`, `.js`, `.mjs`); one of the same service name replaces a built-in one.',
    read: (text) => resolve(text),
  },
  filesDir: {
    name: 'TRIBUTARY_FILES',
    fallback: undefined,
    meaning:
      'Folder under which apps may have files delivered (`file://` destinations of the kind `files`), each in a folder named as its client id. Unset: no folder at all.',
    read: (text) => resolve(text),
  },
  sunsetMs: {
    name: 'TRIBUTARY_SUNSET',
    fallback: undefined,
    meaning:
      'A day (`2027-08-05`) or time after which items can no longer be read over the API, only by push. Until then answers announce it. Unset: never.',
    read: day,
  },
  ...QUOTA_VARIABLES,
  logLevel: {
    name: 'LOG_LEVEL',
    fallback: 'info',
    meaning: `One of ${LOG_LEVELS.join(', ')}.`,
    read: (text) => oneOf(text, LOG_LEVELS),
  },
  logFormat: {
    name: 'LOG_FORMAT',
    fallback: 'json',
    meaning: 'One of json, text.',
    read: (text) => oneOf(text, ['json', 'text'] as const),
  },
  drainMs: {
    name: 'DRAIN_SECONDS',
    fallback: '25',
    meaning: 'How long requests and jobs under way may take to finish after SIGTERM.',
    read: (text) => wholeNumber(text, 0, 3600) * 1000,
  },
  workerMemoryMb: {
    name: 'WORKER_MEMORY_MB',
    fallback: '512',
    meaning: 'Memory that one worker process may use. One that uses more is ended and started again.',
    read: (text) => wholeNumber(text, 128, 1_048_576),
  },
  workerStallMs: {
    name: 'WORKER_STALL_SECONDS',
    fallback: '10',
    meaning: 'A worker process that does not respond for so long is ended and started again.',
    read: (text) => wholeNumber(text, 2, 3600) * 1000,
  },
  otlpUrl: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: undefined,
    meaning:
      'An OpenTelemetry collector that takes OTLP over HTTP (`http://localhost:4318`): traces go to `/v1/traces` there. Unset: no traces.',
    read: webAddress,
  },
  otlpTracesUrl: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    fallback: undefined,
    meaning: 'The whole address for traces, where it is another one.',
    read: webAddress,
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    fallback: '',
    meaning: 'Headers for the collector, `name=value`, comma-separated, percent-encoded.',
    read: pairs,
  },
  serviceName: {
    name: 'OTEL_SERVICE_NAME',
    fallback: 'tributary',
    meaning: 'What traces call this service.',
    read: (text) => text,
  },
  resourceAttributes: {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    fallback: '',
    meaning: 'What else traces say about this process, `name=value`, comma-separated, percent-encoded.',
    read: pairs,
  },
  traceShare: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1',
    meaning:
      'Which share of the traces that begin here is kept, 0 to 1. A caller that sends `traceparent` decides itself.',
    read: share,
  },
  tracingOff: {
    name: 'OTEL_SDK_DISABLED',
    fallback: 'false',
    meaning: '`true` switches traces off, whatever else is set.',
    read: parseBoolean,
  },
}

export type Environment = Record<string, string | undefined>

/** Reads every setting once; all mistakes are told together. `overrides` come from the command line and win. */
export function loadConfig(env: Environment, overrides: Environment = {}): Config {
  const problems: string[] = []
  const given = { ...env, ...overrides }
  const config: Record<string, unknown> = {}
  for (const [field, variable] of Object.entries(VARIABLES) as [string, Variable<unknown>][]) {
    try {
      const text = valueOf(given, variable.name) ?? variable.fallback
      config[field] = text === undefined ? undefined : variable.read(text)
    } catch (error) {
      problems.push(`${variable.name}: ${reasonOf(error)}`)
    }
  }
  if (problems.length > 0) {
    throw new SetupError(`The configuration cannot be used.\n  ${problems.join('\n  ')}`, {
      code: 'config_invalid',
      help: 'Every variable with its default is listed in docs/config.md.',
    })
  }
  const loaded = config as unknown as Config
  return loaded.baseUrl === '' ? { ...loaded, baseUrl: `http://localhost:${loaded.port}` } : loaded
}

// Every variable has a `_FILE` twin, so that secrets can come from a mounted file.
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

function wholeNumber(text: string, least: number, most: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  throw new Error(`must be a whole number from ${least} to ${most}, not “${text}”`)
}

function day(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  throw new Error(`must look like 2027-08-05 or 2027-08-05T12:00:00Z, not “${text}”`)
}

function share(text: string): number {
  const number = Number(text)
  if (/^[\d.]+$/.test(text) && number >= 0 && number <= 1) return number
  throw new Error(`must be a number from 0 to 1, not “${text}”`)
}

// The values may be secrets, so the message never repeats them.
function pairs(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const part of split(text)) {
    const [, name, value = ''] = /^([^=\s]+)\s*=\s*(.*)$/.exec(part) ?? []
    if (name === undefined) throw new Error('must look like name=value,name2=value2')
    const decoded = decodePercent(value)
    if (decoded === undefined) throw new Error(`the value of ${name} is not percent-encoded as it should be`)
    found[name] = decoded
  }
  return found
}

function parseBoolean(text: string): boolean {
  if (['true', 'yes', '1'].includes(text)) return true
  if (['false', 'no', '0'].includes(text)) return false
  throw new Error(`must be true or false, not “${text}”`)
}

function oneOf<T extends string>(text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  throw new Error(`must be one of ${choices.join(', ')}, not “${text}”`)
}

// The value may hold a password, so the message never repeats it.
function postgresUrl(text: string): string {
  if (URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol)) return text
  throw new Error('must look like postgres://user:password@host:5432/database')
}

function webAddress(text: string): string {
  if (text === '') return text
  if (URL.canParse(text)) {
    const url = new URL(text)
    if (['http:', 'https:'].includes(url.protocol) && url.search === '' && url.hash === '' && url.username === '')
      return trimEndOf(text, '/')
  }
  throw new Error(`must look like https://tributary.example.com, not “${redactText(text)}”`)
}

function atLeast(text: string, length: number): string {
  if (text.length >= length) return text
  throw new Error(`must have at least ${length} characters`)
}

function hardToGuess(text: string): string {
  const weakness = weaknessOf(Buffer.from(text))
  if (weakness === undefined) return text
  throw new Error(`is too easy to guess: it ${weakness}. Make one with: openssl rand -base64 32`)
}

function addresses(text: string): string[] {
  if (text === 'false') return []
  if (/^true$/i.test(text)) throw new Error('must name the proxies, such as 127.0.0.1 or 10.0.0.0/8, not “true”')
  const list = split(text)
  for (const each of list) if (isIP(each) === 0) networks(each)
  return list
}

function split(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function networks(text: string): string[] {
  const list = split(text)
  for (const network of list) {
    const [address = '', bits = '', ...more] = network.split('/')
    const family = isIP(address)
    if (more.length > 0 || family === 0 || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
      throw new Error(`“${network}” is no CIDR network such as 10.1.0.0/16`)
  }
  return list
}
