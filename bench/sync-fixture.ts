import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { createRateLimiter } from '#access/rate-limiter.ts'
import { demoSocial } from '#connectors/demo-social/connector.ts'
import { createApp } from '#flows/apps/apps.ts'
import { setServiceKey } from '#flows/apps/keys.ts'
import type { SyncDeps } from '#flows/sync/deps.ts'
import { requestSync } from '#flows/sync/progress.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import { connectProfile } from '#identity/connect-profile.ts'
import { apiKey } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { type Endpoint, endpoint } from '#kit/endpoints/endpoint.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { systemClock } from '#platform/clock.ts'
import { randomShard } from '#platform/crypto/ids.ts'
import { Keyring } from '#platform/crypto/sealing.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { migrate } from '#store/migrate.ts'
import { openHasher } from '#store/vault.ts'
import type { Upstream } from '#upstream/request/send.ts'

const SERVER = process.env['BENCH_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** The pages of the service as text, by number from 0; undefined after the last page. */
export type Pages = (page: number) => string | undefined

export type SyncFixture = Awaited<ReturnType<typeof openSyncFixture>>

/** A worker without the network: pages come from memory, everything else is as in the service. */
export async function openSyncFixture() {
  const name = `tributary_bench_${randomBytes(4).toString('hex')}`
  await onServer(`create database ${name}`)
  const url = new URL(SERVER)
  url.pathname = `/${name}`
  const log = createLog({
    level: 'warn',
    format: 'text',
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  })
  const database = openDatabase({ url: url.href, pool: 4, prepared: true, log })
  await migrate(database, systemClock.now())
  const keyring = new Keyring([randomBytes(32)])
  const hasher = await openHasher(database, keyring)
  let pages: Pages = () => undefined
  const connector = benchConnector()
  const base = { database, keyring, hasher, clock: systemClock, log, registry: createRegistry([connector]) }
  const deps: SyncDeps = { ...base, upstream: upstreamOf((page) => pages(page)), rateLimiter: createRateLimiter(base) }
  const { app } = await createApp(base, { name: 'Bench', redirectUris: ['https://app.test/'] }, 'bench')
  await setServiceKey(base, app.id, { service: connector.service, key: 'key', secret: 'secret' }, 'bench')
  const client = new Client({ connectionString: url.href })
  await client.connect()
  return {
    deps,
    client,
    appId: app.id,
    connect: async (person: string): Promise<Profile> => {
      const signedIn = { credential: { token: 'token' }, self: { id: person }, raw: '{}' }
      const joining = { appId: app.id, service: connector.service, signedIn, actor: 'bench', shard: randomShard() }
      const whole = { ...deps, hasher, config: { baseUrl: 'http://localhost' } }
      const attached = await database.transaction((tx) =>
        connectProfile(whole, tx, { ...joining, account: { how: 'new' } }),
      )
      return attached!.profile
    },
    /** Syncs the profile over these pages, in as many runs as needed, and returns the milliseconds it took. */
    sync: async (profile: Profile, newPages: Pages): Promise<number> => {
      pages = newPages
      await requestSync(deps, profile)
      const key = { shard: profile.shard, profileId: profile.id }
      const beganAt = performance.now()
      for (let isDone = false; !isDone; ) {
        await runProfile(deps, key, { signal: new AbortController().signal, alone: false, step: () => {} })
        const { rows } = await client.query<{ walk: unknown; last_error: string | null }>(
          'select walk, last_error from endpoint_sync where profile_id = $1',
          [profile.id],
        )
        if (rows[0]!.last_error !== null) throw new Error(rows[0]!.last_error)
        isDone = rows[0]!.walk === null
      }
      return performance.now() - beganAt
    },
    close: async () => {
      await client.end()
      await database.close()
      await onServer(`drop database if exists ${name} with (force)`)
    },
  }
}

/** The feed of a demo service as a complete list in numbered pages. */
function benchConnector(): Connector {
  const { kind, types } = demoSocial.endpoints['feed']!
  const list: Endpoint = endpoint<{ data: unknown[] }, unknown>({
    path: '/list',
    items: ({ data }) => data,
    kind,
    types,
    feed: true,
    pages: numberPages({ param: 'page', start: 0 }),
    every: '1h',
    class: 'core',
    deletes: 'all',
  })
  return {
    ...demoSocial,
    service: 'bench',
    auth: apiKey({ in: 'header', scheme: 'Bearer' }),
    api: { baseUrl: 'https://bench.test', limits: { app: { calls: 1_000_000, perS: 1 } } },
    endpoints: { list },
  }
}

function upstreamOf(pages: Pages): Upstream {
  const send: Upstream['send'] = async ({ url }) => {
    const page = Number(new URL(url).searchParams.get('page'))
    return { status: 200, headers: {}, text: pages(page) ?? '{"data":[]}' }
  }
  return { clock: systemClock, send } as Upstream
}

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: SERVER })
  await client.connect()
  await client.query(sql)
  await client.end()
}
