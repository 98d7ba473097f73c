import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRateLimiter } from '#access/rate-limiter.ts'
import { loadConfig } from '#config/config.ts'
import { createApp } from '#flows/apps/apps.ts'
import type { ProxyTimeouts } from '#flows/proxy/deps.ts'
import type { HttpDeps } from '#http/server/deps.ts'
import { createServer } from '#http/server.ts'
import { type ConnectedProfile, connectProfile } from '#identity/connect-profile.ts'
import { createTokenUses } from '#identity/token-uses.ts'
import type { Credential } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { randomShard } from '#platform/crypto/ids.ts'
import type { EgressLevelsOptions } from '#platform/egress/levels.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { putServiceKey } from '#store/apps/service-keys.ts'
import { createOperationLog } from '#store/log/operation-log.ts'
import { openStore } from '../../../src/boot/open-store.ts'
import { preparedDatabase } from '../../harness/database/database.ts'
import { openUpstream } from '../../harness/upstream.ts'
import { keyed, paged, plain, scarce, signed } from './connectors.ts'

export const TOKEN = 'service-token-0123456789'

export interface HarnessOptions {
  /** Further services. */
  connectors?: Connector[]
  egress?: Partial<EgressLevelsOptions>
  timeouts?: ProxyTimeouts
  /** Where services have origins; default: below localhost. */
  proxyOrigin?: string
  /** Services that get a port of their own. */
  proxyPorts?: string[]
  trustProxy?: string[]
  /** The time of the server, such as one that stands still so that no cache expires. */
  clock?: Clock
}

export interface Connecting {
  service?: string
  /** The API address of the service; absent: as `overrides` or the connector say. */
  apiUrl?: string
  nativeId?: string
  credential?: Credential
  /** Further addresses. */
  overrides?: Record<string, string>
  /** The account to join, instead of a new one. */
  account?: string
}

export type ProxyHarness = Awaited<ReturnType<typeof startProxyHarness>>

/** The whole server on a database of its own, without workers, so that services receive only proxied calls. */
export async function startProxyHarness({
  egress: egressOptions,
  timeouts,
  connectors = [],
  proxyOrigin,
  proxyPorts = [],
  trustProxy = [],
  clock = systemClock,
}: HarnessOptions = {}) {
  const fresh = await preparedDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-proxy-'))
  const env = { DATABASE_URL: fresh.url, TRIBUTARY_DATA: dataDir, DATABASE_POOL: '6' }
  const config = loadConfig(env)
  const logged: string[] = []
  const log = createLog({ level: 'info', format: 'json', clock: systemClock, write: (line) => logged.push(line) })
  const store = await openStore(config, log, { migrate: true, clock })
  const { upstream, close } = openUpstream(store.clock, egressOptions)
  const adminToken = 'tra_test-admin-token-0123456789'
  const harness = {
    ...store,
    config: {
      baseUrl: 'http://localhost',
      proxyOrigin,
      proxyPorts: {} as Record<string, number>,
      trustProxy,
      drainMs: 0,
    },
    registry: createRegistry([plain, keyed, signed, paged, scarce, ...connectors]),
    upstream,
    rateLimiter: createRateLimiter(store),
    operations: createOperationLog(store),
    tokenUses: createTokenUses(store),
    adminToken,
    version: 'test',
    demo: () => undefined,
    isDraining: () => false,
    timeouts,
  }
  let server = createServer(harness as unknown as HttpDeps)
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  for (const service of proxyPorts)
    harness.config.proxyPorts[service] = await server.listenAs(service, { port: 0, host: '127.0.0.1' })
  const endServer = async () => {
    const closed = server.close()
    // Clients open connections in advance and send nothing on them.
    server.closeConnections('all')
    await closed
  }
  const { app, secret } = await createApp(harness, { name: 'App', redirectUris: ['https://app.test/'] }, 'test')

  return {
    url,
    /** The settings of a command on the same database. */
    env,
    logged,
    store,
    get server() {
      return server
    },
    deps: harness,
    appId: app.id,
    secret,
    /** How the app authenticates. */
    basic: `Basic ${btoa(`${app.id}:${secret}`)}`,
    admin: async (path: string) => {
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${adminToken}` } })
      return { status: response.status, body: await response.json() }
    },
    /** A profile as a sign-in leaves it, without a call to the service. */
    connect: async (given: Connecting): Promise<ConnectedProfile> => {
      const { service = 'plain', apiUrl, nativeId = '42', credential = { token: TOKEN }, overrides, account } = given
      const key = {
        service,
        key: 'app-key',
        scope: undefined,
        overrides: { ...(apiUrl === undefined ? {} : { api_url: apiUrl }), ...overrides },
        updatedAt: 0,
      }
      await putServiceKey(store.database, store.keyring, app.id, key, 'app-secret')
      const attached = await store.database.transaction((tx) =>
        connectProfile(harness, tx, {
          appId: app.id,
          service,
          signedIn: { credential, self: { id: nativeId }, raw: '{}' },
          actor: 'test',
          account: account === undefined ? { how: 'new' } : { how: 'given', id: account },
          shard: randomShard(),
        }),
      )
      if (attached === undefined) throw new Error('there is no such account')
      return attached
    },
    /** A process that knows nobody yet takes the place of this one, at the same address. */
    restart: async () => {
      await endServer()
      server = createServer({ ...harness, rateLimiter: createRateLimiter(store) } as unknown as HttpDeps)
      await server.listen({ port: Number(new URL(url).port), host: '127.0.0.1' })
      for (const [service, port] of Object.entries(harness.config.proxyPorts))
        await server.listenAs(service, { port, host: '127.0.0.1' })
    },
    stop: async () => {
      await endServer()
      await close()
      await harness.operations.flush()
      await store.close()
      await fresh.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
