import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { EndpointProgress } from '#flows/sync/progress.ts'
import type { Starting } from '../../../src/app.ts'
import type { Tuning } from '../../../src/tuning.ts'
import { LOOPBACK } from '../../harness/lab.ts'
import { startTributary } from '../../harness/start.ts'
import { type Asked, startScripted } from './scripted-service.ts'

export interface Order {
  id: string
  at: number
  text: string
}

export type SyncHouse = Awaited<ReturnType<typeof startSyncHouse>>

export const SECRET = 'hook-secret'

/** The whole service, with the scripted shop beside it and an app that has keys for it. */
export async function startSyncHouse(
  env: Record<string, string> = {},
  { tuning = {}, workers = 'inline' }: { tuning?: Tuning } & Pick<Starting, 'workers'> = {},
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
  const made = await tributary.admin('POST', '/admin/apps', { name: 'Shop App', redirect_uris: ['https://app.test/'] })
  const { client_id: clientId, client_secret: secret } = made.body as { client_id: string; client_secret: string }
  await tributary.admin('PUT', `/admin/apps/${clientId}/keys/shop`, {
    key: 'key',
    secret: SECRET,
    overrides: { base_url: service.url },
  })
  const database = new Client({ connectionString: tributary.databaseUrl })
  // Dropping the database at the end may cut this connection first.
  database.on('error', () => {})
  await database.connect()
  service.on('/me', ({ headers }) => {
    const id = (headers.authorization ?? '').replace('Bearer token-', '')
    return { body: { id, name: id } }
  })

  const ask = async (method: string, path: string, token: string, init: RequestInit = {}) => {
    const answer = await fetch(`${tributary.url}${path}`, {
      method,
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
    })
    const body: unknown = await answer.json()
    return { status: answer.status, body }
  }
  const progress = async (token: string): Promise<EndpointProgress> =>
    ((await ask('GET', '/profiles/shop/sync', token)).body as Record<string, EndpointProgress>)['orders']!

  return {
    service,
    tributary,
    clientId,
    secret,
    ask,
    progress,
    /** Connects a person of the shop, to an account of their own or to this one. */
    connect: async (person: string, account?: string): Promise<{ access_token: string; account: string }> => {
      const answer = await fetch(`${tributary.url}/auth/shop/apply`, {
        method: 'POST',
        body: new URLSearchParams({
          client_id: clientId,
          client_secret: secret,
          token: `token-${person}`,
          ...(account === undefined ? {} : { account }),
        }),
      })
      const body = (await answer.json()) as { access_token: string; account: string }
      if (answer.status !== 200) throw new Error(`not connected: ${JSON.stringify(body)}`)
      return body
    },
    /** Waits until the progress is as wanted. */
    until: async (token: string, wanted: (progress: EndpointProgress) => boolean): Promise<EndpointProgress> => {
      for (const endMs = performance.now() + 60_000; performance.now() < endMs; ) {
        const now = await progress(token)
        if (wanted(now)) return now
        await sleep(50)
      }
      throw new Error(`it did not come to that: ${JSON.stringify(await progress(token))}`)
    },
    sql: async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
      (await database.query<Row>(text, values)).rows,
    stop: async () => {
      await database.end()
      await tributary.stop()
      await service.close()
    },
  }
}

export function orders(count: number): Order[] {
  return Array.from({ length: count }, (_, i) => ({ id: `o${i}`, at: 1_700_000_000_000 - i, text: `order ${i}` }))
}

/** A script that cuts a list into pages of ten. */
export function pagesOf(list: () => Order[]) {
  return ({ query }: Asked) => {
    const page = Number(query['page'])
    return { body: { orders: list().slice((page - 1) * 10, page * 10) } }
  }
}
