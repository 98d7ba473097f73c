import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { LOOPBACK } from '../../test/harness/loopback.ts'
import { type RunningProcess, startProcess } from '../../test/harness/running.ts'
import { until } from '../../test/harness/until.ts'
import { backendsCpuMs, type CpuReading, cpuMs, ownCpuMs } from '../cpu-time.ts'
import { createDatabase } from '../own-database.ts'
import type { Checkout } from './checkouts.ts'
import { bearer, type Service } from './service.ts'

/** Of connections that do not belong to the server under test. */
export const RIVAL = 'bench-rival'

const SERVICE = 'measured'

export type RunningCheckout = Awaited<ReturnType<typeof runCheckout>>

/** The server of a checkout with its worker processes, on a database of its own. It is used only by HTTP, so that it may be old. */
export async function runCheckout(checkout: Checkout, service: Service, server: Client, cleanup: AsyncDisposableStack) {
  const database = await createDatabase()
  cleanup.defer(database.drop)
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-compare-'))
  cleanup.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const adminToken = `tra_${randomBytes(24).toString('hex')}`
  const env = {
    DATABASE_URL: database.url,
    // Two servers and their workers beside whatever else uses the database server, which often allows a hundred connections.
    DATABASE_POOL: '6',
    TRIBUTARY_DATA: dataDir,
    TRIBUTARY_ADMIN_TOKEN: adminToken,
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    TRIBUTARY_CONNECTORS: checkout.connectors,
    NODE_COMPILE_CACHE: checkout.cache,
    LOG_LEVEL: 'warn',
    PORT: '0',
  }
  const start = async (): Promise<RunningProcess> => {
    const running = await startProcess(['serve'], env, join(checkout.folder, 'src/main.ts'))
    cleanup.defer(async () => void (await running.end('SIGTERM')))
    return running
  }
  const running = await start()
  const { url } = running.document
  if (url === undefined) throw new Error(`the server did not start: ${JSON.stringify(running.document)}`)
  const pid = running.child.pid!

  const call = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const payload = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, { method, headers: { ...headers, ...type }, ...payload })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: status ${response.status}: ${text.slice(0, 200)}`)
    return JSON.parse(text) as unknown
  }
  const admin = bearer(adminToken)
  const fields = { name: 'Bench', redirect_uris: ['https://app.test/'], apply: 'any' }
  const app = (await call('POST', '/admin/apps', admin, fields)) as { client_id: string; client_secret: string }
  const keys = { key: 'key', secret: 'secret', overrides: { base_url: service.url } }
  await call('PUT', `/admin/apps/${app.client_id}/keys/${SERVICE}`, admin, keys)

  const progressOf = async (token: string) =>
    ((await call('GET', `/profiles/${SERVICE}/sync`, bearer(token))) as Progress)['list']
  /** First asks the service, whose processor time is not counted. */
  const untilRead = async (person: Person, walks: number, after: number) => {
    await until(
      'the list is read',
      () => service.walks(person.serviceToken),
      (count) => count >= walks,
    )
    await until(
      'the list is stored',
      () => progressOf(person.token),
      (list) => list?.state === 'done' && list.last_run! > after,
    )
  }
  const reading = async (of: (pid: number) => number): Promise<CpuReading> => ({
    processesMs: of(pid),
    backends: await backendsCpuMs(server, database.name, { not: RIVAL }),
  })
  let people = 0

  return {
    url,
    database,
    proxyUrl: `${url}/proxy/${SERVICE}`,
    /** The request process, its workers, and the connections of both. */
    cpu: () => reading(cpuMs),
    /** Without the workers, which have nothing to do with a request. */
    requestCpu: () => reading(ownCpuMs),
    /** Connects people who have so many items each. They are not synced yet. */
    connect: async (count: number, items: number): Promise<Person[]> => {
      const accounts = Array.from({ length: count }, () => {
        people += 1
        return { id: `person-${people}`, [SERVICE]: { token: `items-${items}-${checkout.name}-${people}` } }
      })
      const given = { client_id: app.client_id, client_secret: app.client_secret, accounts }
      const results = (await call('POST', '/auth/apply/batch', {}, given)) as Record<string, Applied>
      return accounts.map((account) => {
        const result = results[account.id]
        if (result?.access_token === undefined) throw new Error(`apply: ${JSON.stringify(result)}`)
        return { token: result.access_token, serviceToken: account[SERVICE].token }
      })
    },
    firstSync: (person: Person) => untilRead(person, 1, 0),
    syncAgain: async (person: Person) => {
      const walks = await service.walks(person.serviceToken)
      const last = (await progressOf(person.token))!.last_run!
      await call('POST', `/profiles/${SERVICE}/sync`, bearer(person.token))
      await untilRead(person, walks + 1, last)
    },
    analyze: async () => {
      const client = new Client({ connectionString: database.url })
      await client.connect()
      await client.query('vacuum analyze')
      await client.end()
    },
    /** Processor time of another server of the checkout from its start until it says that it is ready. */
    loadingMs: async (): Promise<number> => {
      const another = await start()
      const used = ownCpuMs(another.child.pid!)
      await another.end('SIGTERM')
      return used
    },
  }
}

export interface Person {
  token: string
  serviceToken: string
}

interface Applied {
  access_token?: string
}

type Progress = Record<string, { state: string; last_run?: number }>
