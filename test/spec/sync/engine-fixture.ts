import { randomBytes } from 'node:crypto'
import { createRateLimiter } from '#access/rate-limiter.ts'
import { createApp } from '#flows/apps/apps.ts'
import { setServiceKey } from '#flows/apps/keys.ts'
import type { SyncDeps, SyncTimes } from '#flows/sync/deps.ts'
import { type EndpointProgress, requestSync, syncProgress } from '#flows/sync/progress.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import { connectProfile } from '#identity/connect-profile.ts'
import { apiKey, type Credential } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { type Api, type Connector, defineConnector } from '#kit/connector/connector.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { type Endpoint, type EndpointInput, endpoint } from '#kit/endpoints/endpoint.ts'
import { kind } from '#kit/read/kind.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { randomShard } from '#platform/crypto/ids.ts'
import { Keyring } from '#platform/crypto/sealing.ts'
import { findProfile } from '#store/identity/profiles.ts'
import { migrate } from '#store/migrate.ts'
import { openHasher } from '#store/vault.ts'
import { openUpstream } from '../../harness/upstream.ts'
import { openPrepared } from '../../store/opened.ts'
import { startScripted } from './scripted-service.ts'

/** A record of the scripted service. */
export interface Note {
  id: string | number
  at?: number
  text?: string
  deleted?: boolean
  [field: string]: unknown
}

export const note = kind<Note>({
  name: 'note',
  id: ({ id }) => id,
  at: ({ at }) => at,
  deleted: ({ deleted }) => deleted === true,
  map: { text: ({ text }) => text },
})

type Listing = { notes: Note[] }

/** An endpoint of notes; the test overrides the rest. */
export function notes(path: string, input: Partial<EndpointInput<Listing, Note>> = {}): Endpoint {
  return endpoint<Listing, Note>({
    path,
    items: (body) => body.notes,
    kind: note,
    types: ['statuses'],
    every: '10m',
    class: 'core',
    ...input,
  })
}

export type Fixture = Awaited<ReturnType<typeof openFixture>>

/** A run of a test ends when there is nothing more to read, also on a machine that needs a minute for it. */
const WHOLE_RUNS: Partial<SyncTimes> = { sliceMs: 3_600_000 }

/** The sync flow in this process, with its own database, a scripted service and a clock that the test moves. */
export async function openFixture(times: Partial<SyncTimes> = {}) {
  const opened = await openPrepared()
  const service = await startScripted()
  const clock = { offsetMs: 0, now: () => Date.now() + clock.offsetMs }
  const { upstream, lines, log, close } = openUpstream(clock)
  await migrate(opened.database, clock.now())
  const keyring = new Keyring([randomBytes(32)])
  const hasher = await openHasher(opened.database, keyring)
  const connectors: Connector[] = []
  const deps: SyncDeps = {
    database: opened.database,
    keyring,
    clock,
    log,
    registry: {
      find: (name) => createRegistry(connectors).find(name),
      list: () => createRegistry(connectors).list(),
      index: () => createRegistry(connectors).index(),
      mark: () => undefined,
    },
    upstream,
    rateLimiter: createRateLimiter({ database: opened.database, clock }),
    times: { ...WHOLE_RUNS, ...times },
  }
  const { app } = await createApp({ ...deps, hasher }, { name: 'Fixture', redirectUris: ['https://app.test/'] }, 'test')

  const connect = async (connector: Connector, nativeId = 'ada', credential: Partial<Credential> = {}) => {
    const joining = {
      appId: app.id,
      service: connector.service,
      signedIn: { credential: { token: `token-${nativeId}`, ...credential }, self: { id: nativeId }, raw: '{}' },
      actor: 'test',
      account: { how: 'found' },
      shard: randomShard(),
    } as const
    const attachDeps = { ...deps, hasher, config: { baseUrl: 'http://localhost' } }
    const attached = await deps.database.transaction((tx) => connectProfile(attachDeps, tx, joining))
    return attached!.profile
  }

  return {
    deps,
    service,
    clock,
    appId: app.id,
    lines,
    databaseUrl: opened.url,
    anotherPool: opened.another,
    /** Registers a connector and keys that lead to the scripted service. Replaces a connector of the same name. */
    use: async (
      name: string,
      endpoints: Record<string, Endpoint>,
      more: { api?: Partial<Api> } & Partial<Omit<Connector, 'api'>> = {},
    ) => {
      const { api, ...rest } = more
      const connector = defineConnector({
        service: name,
        title: name,
        docs: 'https://docs.test/',
        auth: apiKey({ in: 'header', scheme: 'Bearer' }),
        api: { baseUrl: 'https://api.test', ...api },
        self: self<{ id: string }>('/me', ({ id }) => ({ id })),
        endpoints,
        ...rest,
      })
      connectors.splice(0, connectors.length, ...connectors.filter((each) => each.service !== name), connector)
      const key = { service: name, key: 'key', secret: 'secret', overrides: { base_url: service.url } }
      await setServiceKey(deps, app.id, key, 'test')
      return connector
    },
    connect,
    /** One run, as in a worker. */
    run: (profile: Profile, signal = new AbortController().signal) =>
      runProfile(deps, keyOf(profile), { signal, alone: false, step: () => {} }),
    /** Requests a sync and runs it. */
    sync: async (profile: Profile, options = { confirmDeletes: false }) => {
      await requestSync(deps, profile, options)
      await runProfile(deps, keyOf(profile), { signal: new AbortController().signal, alone: false, step: () => {} })
    },
    progress: async (profile: Profile, name: string): Promise<EndpointProgress> =>
      (await syncProgress(deps, profile))[name]!,
    reload: async (profile: Profile): Promise<Profile> =>
      (await findProfile(deps.database, profile.shard, profile.id))!,
    /** The stored items of a profile, by native id. */
    stored: async (profile: Profile, name = 'list') => {
      const rows = await deps.database.rows<StoredRow>(
        {
          name: '',
          text: `select native_id, at, updated_at, seq, data::text as data from item where shard = $1 and profile_id = $2 and endpoint = $3 order by native_id`,
        },
        [profile.shard, profile.id, name],
      )
      return new Map(rows.map((row) => [row.native_id, row]))
    },
    sql: <Row extends object>(text: string, values: unknown[] = []) =>
      deps.database.rows<Row>({ name: '', text }, values),
    close: async () => {
      await close()
      await service.close()
      await opened.close()
    },
  }
}

export interface StoredRow {
  native_id: string
  at: number
  updated_at: number
  seq: number
  data: string
}

export function keyOf(profile: Profile) {
  return { shard: profile.shard, profileId: profile.id }
}

/** A script that splits a list into pages of this size, by `page` from 1. */
export function paged(list: () => Note[], size: number) {
  return ({ query }: { query: Record<string, string> }) => {
    const page = Number(query['page'] ?? 1)
    return { body: { notes: list().slice((page - 1) * size, page * size) } }
  }
}

export function someNotes(count: number, from = 1): Note[] {
  return Array.from({ length: count }, (_, i) => ({
    id: String(from + i),
    at: 1_700_000_000_000 - (from + i) * 1000,
    text: `note ${from + i}`,
  }))
}
