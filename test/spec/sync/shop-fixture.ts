import { join } from 'node:path'
import type { EndpointProgress } from '#flows/sync/progress.ts'
import type { StartOptions } from '../../../src/boot/app.ts'
import type { Tuning } from '../../../src/boot/tuning.ts'
import { makeApp } from '../../harness/app.ts'
import { connect } from '../../harness/connect.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { type Reply, type RequestOptions, send } from '../../harness/send.ts'
import { startTributary } from '../../harness/start.ts'
import { syncProgress } from '../../harness/sync.ts'
import { until } from '../../harness/until.ts'
import { type ReceivedRequest, startScripted } from './scripted-service.ts'

export interface Order {
  id: string
  at: number
  text: string
}

type AnyReply = Omit<Reply, 'body'> & { body: unknown }
export type SyncHarness = Awaited<ReturnType<typeof startSyncHarness>>

export const SECRET = 'hook-secret'

/** The running service, a scripted shop and an app that has keys for it. */
export async function startSyncHarness(
  env: Record<string, string> = {},
  { tuning = {}, workers = 'inline' }: { tuning?: Tuning } & Pick<StartOptions, 'workers'> = {},
) {
  const service = await startScripted()
  const tributary = await startTributary(
    {
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'connectors'),
      ...env,
    },
    tuning,
    { workers },
  )
  const keys = { shop: { key: 'key', secret: SECRET, overrides: { base_url: service.url } } }
  const app = await makeApp(tributary, { name: 'Shop App', keys })
  service.on('/me', ({ headers }) => {
    const id = (headers.authorization ?? '').replace('Bearer token-', '')
    return { body: { id, name: id } }
  })

  const progress = async (token: string): Promise<EndpointProgress> =>
    (await syncProgress({ tributary }, token, 'shop'))['orders']!

  return {
    service,
    tributary,
    ...app,
    ask: (
      method: string,
      path: string,
      token: string,
      init: Pick<RequestOptions, 'headers' | 'body'> = {},
    ): Promise<AnyReply> => send({ tributary }, method, path, { token, ...init }),
    progress,
    /** Connects a person of the shop, to a new account or to this one. */
    connect: (person: string, account?: string) =>
      connect({ tributary }, app, 'shop', { token: `token-${person}`, account }),
    /** Waits until the progress matches. */
    until: (token: string, matches: (progress: EndpointProgress) => boolean) =>
      until('the progress matches', () => progress(token), matches),
    /** Resolves when no sync is due or running: what has not happened by then does not happen. */
    idle: () => tributary.idle('syncs'),
    sql: tributary.sql,
    stop: async () => {
      await tributary.stop()
      await service.close()
    },
  }
}

export function orders(count: number): Order[] {
  return Array.from({ length: count }, (_, i) => ({ id: `o${i}`, at: 1_700_000_000_000 - i, text: `order ${i}` }))
}

/** A script that splits a list into pages of ten. */
export function pagesOf(list: () => Order[]) {
  return ({ query }: ReceivedRequest) => {
    const page = Number(query['page'])
    return { body: { orders: list().slice((page - 1) * 10, page * 10) } }
  }
}
