import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { EndpointProgress } from '#flows/sync/progress.ts'
import { createBrowser } from '../../../lab/browser.ts'
import { startLab } from '../../../lab/lab.ts'
import { freePort } from '../../harness/free-port.ts'
import { basic, continued, LOOPBACK, REDIRECT } from '../../harness/lab.ts'
import { startTributary } from '../../harness/start.ts'
import type { RunningBluesky } from '../../real/bluesky.ts'

export const VENDORS = ['facebook', 'x', 'instagram', 'foursquare', 'tumblr', 'github'] as const
export type Vendor = (typeof VENDORS)[number]

export interface Item {
  id: string
  idr: string
  at: number
  updated: number
  types: Record<string, true>
  data: Record<string, unknown>
}

export type Progress = Record<string, EndpointProgress>
export type VendorHouse = Awaited<ReturnType<typeof startVendorHouse>>

/** The whole service, the lab's vendors beside it, and an app with keys for all of them. */
export async function startVendorHouse() {
  const lab = await startLab({ services: [...VENDORS] })
  const port = await freePort()
  const tributary = await startTributary({
    PORT: String(port),
    // Bluesky takes loopback addresses by number only.
    BASE_URL: `http://127.0.0.1:${port}`,
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'local-network'),
  }).catch(async (error: unknown) => {
    await lab.close()
    throw error
  })
  const { url } = tributary
  const made = await tributary.admin('POST', '/admin/apps', { name: 'All services', redirect_uris: [REDIRECT] })
  const { client_id: clientId, client_secret: secret } = made.body as { client_id: string; client_secret: string }
  const setKeys = (service: string, body: object) =>
    tributary.admin('PUT', `/admin/apps/${clientId}/keys/${service}`, body)
  for (const service of VENDORS) {
    const { url: base_url, register } = lab.services[service]
    const keys = register({ name: 'All services', redirectUris: [`${url}/auth/${service}/callback`] })
    await setKeys(service, { ...keys, overrides: { base_url } })
  }
  const database = new Client({ connectionString: tributary.databaseUrl })
  // Dropping the database at the end may cut this connection first.
  database.on('error', () => {})
  await database.connect()

  const ask = async (method: string, path: string, token: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}${path.includes('?') ? '&' : '?'}access_token=${token}`, {
      method,
      headers,
    })
    const body: unknown = await answer.json()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(body)}`)
    return body
  }
  const startUrl = (service: string, token: string | undefined) => {
    const asked = { client_id: clientId, redirect_uri: REDIRECT, service, flag: 'dm' }
    return `${url}/oauth/authenticate?${new URLSearchParams(token === undefined ? asked : { ...asked, access_token: token }).toString()}`
  }
  const redeem = async (back: string): Promise<string> => {
    const code = new URL(back).searchParams.get('code')
    if (code === null) throw new Error(`no code came back: ${back}`)
    const body = new URLSearchParams({ client_id: clientId, client_secret: secret, code })
    const answer = await fetch(`${url}/oauth/access_token`, { method: 'POST', body })
    const granted = (await answer.json()) as { access_token: string }
    if (answer.status !== 200) throw new Error(`the code was not redeemed: ${JSON.stringify(granted)}`)
    return granted.access_token
  }
  const progress = async (service: string, token: string) =>
    (await ask('GET', `/profiles/${service}/sync`, token)) as Progress

  return {
    lab,
    tributary,
    ask,
    progress,
    setKeys,
    /** Signs a person of the lab in, into the account of the token if there is one. */
    signIn: async (service: Vendor, person: string, token?: string): Promise<string> => {
      const browser = createBrowser({ stopAt: (address) => address.startsWith(REDIRECT) })
      const page = await continued(browser, await browser.walk(startUrl(service, token), { person }))
      if (!page.stopped)
        throw new Error(`the walk ended at ${page.url} with ${page.status}: ${page.body.slice(0, 300)}`)
      return redeem(page.url)
    },
    signInAtBluesky: async (
      network: RunningBluesky,
      person: { handle: string; password: string },
      token?: string,
    ): Promise<string> => {
      const stops = [REDIRECT, network.pdsUrl]
      const browser = createBrowser({ stopAt: (address) => stops.some((stop) => address.startsWith(stop)) })
      const away = await browser.open(startUrl('bluesky', token))
      const { handle, password } = person
      const back = await continued(browser, await browser.open(await network.authorize(away.url, { handle, password })))
      return redeem(back.url)
    },
    /** Waits until each of these endpoints was walked after that moment. */
    synced: async (service: string, endpoints: string[], token: string, afterMs = 0): Promise<Progress> => {
      let now: Progress = {}
      for (let i = 0; i < 600; i += 1) {
        now = await progress(service, token)
        if (endpoints.every((name) => now[name]?.state === 'done' && (now[name].last_run ?? 0) > afterMs)) return now
        await sleep(100)
      }
      throw new Error(`${service} was not synced: ${JSON.stringify(now)}`)
    },
    /** All of them, those with a date to come too. */
    items: async (service: string, endpoint: string, token: string) =>
      (await ask('GET', `/services/${service}/${endpoint}?limit=100000&until=4102444800000`, token)) as Item[],
    /** Each stored item's place in the change log: it moves with every write. */
    writes: async (service: string): Promise<Map<string, string>> => {
      const { rows } = await database.query<{ idr: string; seq: string; updated_at: string }>(
        `select i.endpoint || '#' || i.native_id as idr, i.seq, i.updated_at from item i
         join profile p on p.part = i.part and p.id = i.profile_id where p.service = $1`,
        [service],
      )
      return new Map(rows.map(({ idr, seq, updated_at: at }) => [idr, `${seq} ${at}`]))
    },
    /** The service's own token, which only the app with its secret may see. */
    tokenAt: async (service: string, token: string): Promise<string> => {
      const profiles = await ask('GET', `/profiles?auth=true`, token, basic({ clientId, secret }))
      const [entry] = (profiles as Record<string, { auth: { token: string } }[]>)[service] ?? []
      return entry?.auth.token ?? ''
    },
    /** Makes us believe that the service's token is over. */
    endToken: (service: string) =>
      database.query(
        `update credential c set expires_at = 1 from profile p where p.part = c.part and p.id = c.profile_id and p.service = $1`,
        [service],
      ),
    stop: async () => {
      await database.end()
      await tributary.stop()
      await lab.close()
    },
  }
}
