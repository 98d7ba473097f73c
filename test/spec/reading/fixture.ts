import { join } from 'node:path'
import { ingest } from '#flows/sync/commit/commit-page.ts'
import { openItemStream } from '#flows/sync/diff/item-stream.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { makeApp } from '../../harness/app.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { newProfile } from '../../harness/profile.ts'
import * as read from '../../harness/read.ts'
import { type Reply, type RequestOptions, send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import library from './connectors/library.ts'
import museum from './connectors/museum.ts'
import type { Thing } from './thing.ts'

const CONNECTORS = { library, museum }

export type ReadingHarness = Awaited<ReturnType<typeof startReadingHarness>>

export interface Item {
  id: string
  idr: string
  at: number
  updated: number
  data: Thing
  types: Record<string, true>
  guid?: string
  copy_of?: string
  oembed?: Record<string, unknown>
  map?: Record<string, unknown>
}

type Options = Pick<RequestOptions, 'headers' | 'body'> & { method?: string }
type AnyReply = Omit<Reply, 'body'> & { body: unknown }

/** A person whose items the tests read. */
export type Reader = Person

export interface Profile {
  shard: number
  profileId: string
  service: 'library' | 'museum'
  owner: string
}

/** The service with two connectors of these tests, whose records the tests put into the store themselves. */
export async function startReadingHarness(env: Record<string, string> = {}) {
  const tributary = await startTributary({
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'connectors'),
    DATABASE_POOL: '8',
    ...env,
  })
  const { clientId: appId, secret: appSecret } = await makeApp(tributary, { name: 'Reader' })
  return {
    tributary,
    appId,
    appSecret,
    stop: () => tributary.stop(),
    newReader: (shard?: number): Promise<Reader> => newPerson(tributary.store, appId, shard),
    newProfile: async (
      { account }: Reader,
      service: Profile['service'] = 'library',
      owner = 'ada',
    ): Promise<Profile> => {
      const profileId = await newProfile(tributary.store.database, account, { service, nativeId: owner })
      return { shard: account.shard, profileId, service, owner }
    },
    /** Stores records as a sync would. */
    put: (profile: Profile, records: Thing[], endpoint = 'things', nowMs = Date.now()) =>
      put(tributary, profile, records, endpoint, nowMs),
    /** Any request, GET by default. */
    request: (
      path: string,
      { token }: Pick<Reader, 'token'>,
      { method = 'GET', ...more }: Options = {},
    ): Promise<AnyReply> => send({ tributary }, method, path, { token, ...more }),
    /** The items of a response that must have status 200. */
    items: (path: string, { token }: Pick<Reader, 'token'>) => read.items<Item>({ tributary }, path, token),
  }
}

async function put(
  { store }: Tributary,
  { shard, profileId, service, owner }: Profile,
  records: Thing[],
  endpoint: string,
  nowMs: number,
): Promise<void> {
  const connector = CONNECTORS[service]
  const stream = openItemStream(connector, endpoint, connector.endpoints[endpoint]!, owner, { shard, profileId }, 0)
  // A real sync takes its sequence numbers from the profile; these only have to grow.
  const lastSeq = Math.floor(performance.timeOrigin + performance.now()) * 1000 + records.length
  await store.database.transaction((tx) => ingest(tx, stream, records as LosslessJson[], lastSeq, nowMs))
}
