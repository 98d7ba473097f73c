import { join } from 'node:path'
import { newPartId } from '#base/ids.ts'
import { absorb, openStream } from '#flows/sync/absorb.ts'
import { newAccessToken } from '#model/access-token.ts'
import type { Account } from '#model/account.ts'
import { insertAccessToken } from '#store/access-tokens.ts'
import { insertAccount } from '#store/accounts.ts'
import { insertProfile } from '#store/profiles.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { startTributary, type Tributary } from '../../support/tributary.ts'
import library from './connectors/library.ts'
import museum from './connectors/museum.ts'
import type { Thing } from './thing.ts'

const CONNECTORS = { library, museum }

export type ReadingHouse = Awaited<ReturnType<typeof startReadingHouse>>

export interface Item {
  id: string
  idr: string
  at: number
  updated: number
  data: Thing
  types: Record<string, true>
  guid?: string
  oembed?: Record<string, unknown>
  map?: Record<string, unknown>
}

export interface Told {
  status: number
  headers: Headers
  text: string
  body: unknown
}

/** Whom the tests read for: an account and its token. */
export interface Reader {
  account: Account
  token: string
}

export interface Profile {
  part: number
  profileId: string
  service: 'library' | 'museum'
  owner: string
}

/** The service with two services of our own beside it, whose records the tests put into the store themselves. */
export async function startReadingHouse(env: Record<string, string> = {}) {
  const tributary = await startTributary({
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'connectors'),
    DATABASE_POOL: '8',
    ...env,
  })
  const made = await tributary.admin('POST', '/admin/apps', { name: 'Reader', redirect_uris: ['https://app.test/'] })
  const { client_id: appId } = made.body as { client_id: string }
  return {
    tributary,
    appId,
    stop: () => tributary.stop(),
    newReader: (part?: number) => newReader(tributary, appId, part),
    newProfile: (reader: Reader, service: Profile['service'] = 'library', owner = 'ada') =>
      newProfile(tributary, reader, service, owner),
    /** Stores records as a sync would. */
    put: (profile: Profile, records: Thing[], endpoint = 'things', nowMs = Date.now()) =>
      put(tributary, profile, records, endpoint, nowMs),
    /** Any GET, or another method. */
    ask: (path: string, { token }: Pick<Reader, 'token'>, init: RequestInit = {}) => ask(tributary, path, token, init),
    /** The items of an answer that must be one. */
    items: async (path: string, reader: Pick<Reader, 'token'>) => {
      const { status, body, text } = await ask(tributary, path, reader.token, {})
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
      return body as Item[]
    },
  }
}

let parts = 0

async function newReader({ store }: Tributary, appId: string, part = (parts += 1)): Promise<Reader> {
  const now = Date.now()
  const account: Account = { part, id: newPartId(part, now), appId, parts: [part], createdAt: now }
  await insertAccount(store.database, account)
  const token = newAccessToken(part, now)
  await insertAccessToken(store.database, account, store.hasher.hash('access_token', token), now)
  return { account, token }
}

async function newProfile(
  { store }: Tributary,
  { account }: Reader,
  service: Profile['service'],
  owner: string,
): Promise<Profile> {
  const now = Date.now()
  const id = newPartId(account.part, now)
  await insertProfile(store.database, {
    part: account.part,
    id,
    accountId: account.id,
    appId: account.appId,
    service,
    nativeId: owner,
    state: 'active',
    pausedAt: undefined,
    stateUntil: undefined,
    error: undefined,
    scope: undefined,
    person: {},
    data: '{}',
    connectedAt: now,
    syncedAt: undefined,
  })
  return { part: account.part, profileId: id, service, owner }
}

async function put(
  { store }: Tributary,
  { part, profileId, service, owner }: Profile,
  records: Thing[],
  endpoint: string,
  nowMs: number,
): Promise<void> {
  const connector = CONNECTORS[service]
  const stream = openStream(connector, endpoint, connector.endpoints[endpoint]!, owner, { part, profileId }, 0)
  // A real sync takes its numbers from the profile; these only have to grow.
  const lastSeq = Math.floor(performance.timeOrigin + performance.now()) * 1000 + records.length
  await store.database.transaction((tx) => absorb(tx, stream, records as LosslessJson[], lastSeq, nowMs))
}

async function ask(tributary: Tributary, path: string, token: string, init: RequestInit): Promise<Told> {
  const answer = await fetch(tributary.url + path, {
    redirect: 'manual',
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson ? (JSON.parse(text) as unknown) : undefined,
  }
}
