import { join } from 'node:path'
import { createBrowser } from '../../../../lab/browser.ts'
import { startLab } from '../../../../lab/lab.ts'
import { basic, makeApp, type ServiceKeys, setKeys } from '../../../harness/app.ts'
import { registerAt } from '../../../harness/callback.ts'
import { freePort } from '../../../harness/free-port.ts'
import { LOOPBACK_TYPED } from '../../../harness/loopback.ts'
import type { Item } from '../../../harness/read.ts'
import { codeOf, continued, REDIRECT, redeemed, startUrl, walk } from '../../../harness/sign-in.ts'
import { startTributary } from '../../../harness/start.ts'
import { type Progress, synced, syncProgress } from '../../../harness/sync.ts'
import type { RunningBluesky } from '../../../real/bluesky.ts'

export const VENDORS = [
  'facebook',
  'x',
  'instagram',
  'foursquare',
  'tumblr',
  'github',
  'strava',
  'mastodon',
  'flickr',
  'spotify',
  'dropbox',
  'twitch',
  'withings',
  'oura',
  'slack',
  'google',
] as const
export type Vendor = (typeof VENDORS)[number]

export type VendorHarness = Awaited<ReturnType<typeof startVendorHarness>>

/** The running service, the lab's vendors, and an app with keys for all of them. */
export async function startVendorHarness() {
  const lab = await startLab({ services: [...VENDORS] })
  const port = await freePort()
  const tributary = await startTributary({
    PORT: String(port),
    // Bluesky accepts loopback addresses only as numbers.
    BASE_URL: `http://127.0.0.1:${port}`,
    ...LOOPBACK_TYPED,
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'local-network'),
  }).catch(async (error: unknown) => {
    await lab.close()
    throw error
  })
  const { url, sql } = tributary
  const at = { tributary }
  const name = 'All services'
  const app = await makeApp(tributary, { name, redirectUris: [REDIRECT] })
  for (const service of VENDORS) await registerAt(tributary, app, service, lab.services[service], { name })
  // They cost money, so they are off at first.
  await tributary.admin('PATCH', `/admin/apps/${app.clientId}/spending`, { endpoints: { 'x/*': true } })

  const ask = async (method: string, path: string, token: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}${path.includes('?') ? '&' : '?'}access_token=${token}`, {
      method,
      headers,
    })
    const body: unknown = await response.json()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(body)}`)
    return body
  }
  const startOf = (service: string, token: string | undefined) =>
    startUrl(at, service, { flag: 'dm', ...(token === undefined ? {} : { access_token: token }) }, app)
  const grantedBy = async (back: URL) => (await redeemed({ ...at, app }, codeOf(back))).access_token

  return {
    lab,
    tributary,
    app,
    ask,
    progress: (service: string, token: string) => syncProgress(at, token, service),
    setKeys: (service: string, own: ServiceKeys) => setKeys(tributary, app, service, own),
    /** Signs a person of the lab in, to the account of the token if there is one. */
    signIn: async (service: Vendor, person: string, token?: string): Promise<string> =>
      grantedBy(await walk(startOf(service, token), { person })),
    signInAtBluesky: async (
      network: RunningBluesky,
      person: { handle: string; password: string },
      token?: string,
    ): Promise<string> => {
      const stops = [REDIRECT, network.pdsUrl]
      const browser = createBrowser({ stopAt: (address) => stops.some((stop) => address.startsWith(stop)) })
      const away = await browser.open(startOf('bluesky', token))
      const { handle, password } = person
      const back = await continued(browser, await browser.open(await network.authorize(away.url, { handle, password })))
      return grantedBy(new URL(back.url))
    },
    /** Waits until each of these endpoints was walked after that time. */
    synced: (service: string, endpoints: string[], token: string, afterMs = 0): Promise<Progress> =>
      synced(at, token, service, { endpoints, afterMs }),
    /** All items, also those with a future date. */
    items: async (service: string, endpoint: string, token: string) =>
      (await ask('GET', `/services/${service}/${endpoint}?limit=100000&until=4102444800000`, token)) as Item[],
    /** The seq of each stored item: it changes with every write. */
    writes: async (service: string): Promise<Map<string, string>> => {
      const rows = await sql<{ idr: string; seq: number; updated_at: number }>(
        `select i.endpoint || '#' || i.native_id as idr, i.seq, i.updated_at from item i
         join profile p on p.shard = i.shard and p.id = i.profile_id where p.service = $1`,
        [service],
      )
      return new Map(rows.map(({ idr, seq, updated_at: at }) => [idr, `${seq} ${at}`]))
    },
    /** The service's own token, which only the app with its secret may see. */
    tokenAt: async (service: string, token: string): Promise<string> => {
      const profiles = await ask('GET', `/profiles?auth=true`, token, basic(app))
      const [entry] = (profiles as Record<string, { auth: { token: string } }[]>)[service] ?? []
      return entry?.auth.token ?? ''
    },
    /** Marks the stored token of the service as expired. */
    endToken: (service: string) =>
      sql(
        `update credential c set expires_at = 1 from profile p where p.shard = c.shard and p.id = c.profile_id and p.service = $1`,
        [service],
      ),
    stop: async () => {
      await tributary.stop()
      await lab.close()
    },
  }
}
