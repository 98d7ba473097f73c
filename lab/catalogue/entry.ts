/** An entry of the catalogue, as far as the lab plays it. Read from its JSON, which is the contract. */
export interface LabEntry {
  ask?: Record<string, { example: string; optional?: boolean }>
  settings?: Record<string, unknown>
  auth: {
    oauth1?: OAuth1Entry
    oauth2?: OAuth2Entry
    key?: { place: Place }
    basic?: unknown
    typed?: TypedEntry
  }
  api: { base: string; headers?: Texts; query?: Texts; failed?: FailedEntry[] }
  self: { get?: string; post?: string; query?: Texts; proof?: string; id?: string; name?: string; email?: string }
}

export interface FailedEntry {
  status?: number
  at?: string
  is?: string[]
  means: string
}

export interface OAuth1Entry {
  request: string
  authorize: string
  access: string
  signature?: 'HMAC-SHA1' | 'HMAC-SHA256' | 'PLAINTEXT'
  scope?: { name: string; default: string[]; separator?: string }
}

export interface OAuth2Entry {
  authorize: string
  token: string
  refresh?: string
  revoke?: string
  scope?: string[]
  separator?: string
  client?: 'post' | 'basic' | 'basic_raw' | 'secret_basic' | 'none'
  body?: 'form' | 'json'
  pkce?: false
  params?: { authorize?: Texts; token?: Texts }
  names?: { client_id?: string; client_secret?: string }
  at?: string
  place?: Place
  facts?: Record<string, { token?: string; callback?: string }>
  tenants?: TenantsEntry
}

export interface TenantsEntry {
  get: string
  list?: string
  where?: Texts
  facts: Record<string, string>
  id: string
  name?: string
}

export interface TypedEntry {
  fields: Record<string, unknown>
  headers?: Texts
  query?: Texts
  basic?: [string, string]
  exchange?: {
    url: string
    method?: string
    form?: Texts
    json?: Texts
    headers?: Texts
    basic?: [string, string]
    token: string
    expires?: string
    expires_at?: string
  }
  jwt?: { algorithm: string; key: string; header?: Texts; claims: Texts; lifetime: number }
  sign?: {
    sigv4?: { id: string; secret: string; session?: string; region: string; service: string }
    hmac?: { algorithm: string; key: string; over: string; encoding: 'hex' | 'base64'; headers: Texts }
  }
}

export type Place = { header: string; scheme?: string } | { query: string }
export type Texts = Record<string, string>

/** The values that everybody gives in the lab: answers are their examples, everything else is named after itself. */
export function fillEntryText(entry: LabEntry, text: string, token: string = ''): string {
  return text.replaceAll(/\{([a-z]+)(?:\.(\w+))?\}/g, (_, kind: string, name: string = '') => {
    if (kind === 'ask') return entry.ask?.[name]?.example ?? ''
    if (kind === 'key') return LAB_KEY
    if (kind === 'token' || kind === 'jwt') return token
    return labValue(kind, name)
  })
}

export const LAB_KEY = 'lab-key'
export const LAB_SECRET = 'lab-secret'
/** A typed value, a fact or a setting in the lab. */
export const labValue = (kind: string, name: string): string => `${kind}-${name}`

/** Whether a person may leave out what a header or parameter needs. */
export const mayBeAbsent = (entry: LabEntry, text: string): boolean =>
  [...text.matchAll(/\{ask\.(\w+)\}/g)].some(([, name]) => entry.ask?.[name!]?.optional === true)

/** The path of an address of an entry: everything after the host, or after the placeholder of a whole address. */
export function pathOf(entry: LabEntry, address: string): string {
  const filled = fillEntryText(entry, address.replace(/^\{\w+\.\w+\}/, 'https://server.example'))
  return new URL(filled).pathname.replace(/\/$/, '')
}

/** Sets a value at a path of keys and indexes: `data.0.id`. */
export function setAt(target: Record<string, unknown>, path: string, value: unknown): void {
  const steps = path.split('.')
  let at: Record<string, unknown> = target
  steps.forEach((step, i) => {
    if (i === steps.length - 1) at[step] = value
    else {
      at[step] ??= /^\d+$/.test(steps[i + 1]!) ? [] : {}
      at = at[step] as Record<string, unknown>
    }
  })
}
