import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startLab } from '../../lab/lab.ts'
import { registerAt } from '../harness/callback.ts'
import { FEW_ITEMS } from '../harness/lab.ts'
import { signIn } from '../harness/sign-in.ts'
import { blueskyMissing } from '../real/bluesky.ts'
import { packagesMissing } from '../real/packages.ts'
import { startBlueskyHarness } from '../spec/proxy/sdks/bluesky-fixture.ts'
import { type Desk, prepareDesk, type Reader } from './reader.ts'

/** The ports of the page, and what a person grants there. */
const SERVICES = {
  github: { port: 8101, scope: 'repo notifications' },
  mastodon: { port: 8102, scope: 'read write' },
  google: { port: 8103, scope: 'openid https://www.googleapis.com/auth/calendar.readonly' },
  slack: { port: 8104, scope: 'users:read,users.profile:read' },
  dropbox: { port: 8105, scope: 'account_info.read files.metadata.read files.content.write' },
  spotify: { port: 8106, scope: 'user-read-private user-top-read playlist-modify-private' },
} as const
type Vendor = keyof typeof SERVICES
const VENDORS = Object.keys(SERVICES) as Vendor[]
const BLUESKY = ['bluesky', 8107] as const
const SDKS = [
  'octokit',
  'masto',
  '@googleapis/calendar',
  '@slack/web-api',
  'dropbox',
  '@spotify/web-api-ts-sdk',
  '@atproto/api',
]

/** Why the page cannot be tried out here; false when it can. */
export const vendorsMissing = async (): Promise<string | false> =>
  (await packagesMissing('sdks')) || (await blueskyMissing())

/** The folder of a reader who has installed vendors' SDKs, with the token of a person who has connected all their services. */
export async function prepareVendorDesk(reader: Reader, name: string): Promise<Desk> {
  for (const each of SDKS) {
    const link = join(reader.folder, 'node_modules', each)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(import.meta.dirname, '../real/sdks/node_modules', each), link)
  }
  const desk = await prepareDesk(reader, name, true)
  const opened = [desk.remove]
  const remove = async () => {
    for (const close of opened.toReversed()) await close()
  }
  try {
    const harness = await startBlueskyHarness({ proxyPorts: VENDORS })
    opened.push(() => harness.stop())
    const { tributary, app, token } = harness
    const lab = await startLab({ services: VENDORS, maxActivity: FEW_ITEMS })
    opened.push(() => lab.close())
    // The SDK calls addresses that only such apps have.
    lab.services.spotify.configure({ quota: 'extended' })
    for (const service of VENDORS) {
      await registerAt(tributary, app, service, lab.services[service])
      await signIn({ tributary, app }, service, 'ada', { access_token: token, scope: SERVICES[service].scope })
    }
    const ports = [...VENDORS.map((service) => [service, SERVICES[service].port] as const), BLUESKY] as const
    const origins = ports.map(([service, port]) => [`http://localhost:${port}`, tributary.proxyOrigin(service)])
    const env = { ...desk.env, TRIBUTARY_URL: tributary.url, TOKEN: token }
    return { ...desk, env, addresses: Object.fromEntries(origins), remove }
  } catch (error) {
    await remove()
    throw error
  }
}
