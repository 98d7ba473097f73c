import { type ServiceName, serviceNames, startLab } from '../../lab/lab.ts'
import { type App, makeApp } from '../harness/app.ts'
import { registerAt } from '../harness/callback.ts'
import { LOOPBACK_TYPED } from '../harness/loopback.ts'
import { send } from '../harness/send.ts'
import { REDIRECT, signIn } from '../harness/sign-in.ts'
import { startTributary } from '../harness/start.ts'
import { synced } from '../harness/sync.ts'
import { hostileItems, type Sent } from './own-items.ts'
import { seeded } from './random.ts'

/** Twenty records of a kind: every service has all of its kinds, and a first sync of all takes less than a minute. */
const MAX_ACTIVITY = 20
const OWN_ITEMS = 180

/** A running service, the access token of an account that has everything, and how to end both. */
export interface World {
  url: string
  token: string
  stop: () => Promise<void>
}

/**
 * One account with a profile at every service of the lab and own items. It came together by merges: each person signed in
 * without a token, so that each sign-in made an account; two of them had the same service user, two the same own items.
 */
export async function startWorld(seed: number): Promise<World> {
  const lab = await startLab({ services: serviceNames, maxActivity: MAX_ACTIVITY })
  const tributary = await startTributary(LOOPBACK_TYPED).catch(async (error: unknown) => {
    await lab.close()
    throw error
  })
  const name = 'Model'
  const app: App = await makeApp(tributary, { name, redirectUris: [REDIRECT] })
  for (const service of serviceNames) await registerAt(tributary, app, service, lab.services[service], { name })
  // They cost money, so they are off at first.
  await tributary.admin('PATCH', `/admin/apps/${app.clientId}/spending`, { endpoints: { 'x/*': true } })
  const at = { tributary, app }
  const call = async (method: string, path: string, query: Record<string, string>, json?: unknown) => {
    const { status, text } = await send(at, method, path, { query, json })
    if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text}`)
  }
  const store = async (token: string, endpoint: string, items: Sent[]) =>
    call('POST', `/services/self/${endpoint}`, { access_token: token }, items)
  const enter = async (service: ServiceName, person: string, token?: string) =>
    (await signIn(at, service, person, { flag: 'dm', ...(token === undefined ? {} : { access_token: token }) }))
      .access_token

  const random = seeded(seed)
  const token = await enter('demo-social', 'dmitri')
  for (const service of serviceNames.filter((one) => one !== 'demo-social')) {
    const other = await enter(service, 'dmitri')
    if (service === 'github') await enter('demo-social', 'dmitri', other)
    if (service === 'tumblr') {
      await store(token, 'notes', hostileItems(random, OWN_ITEMS / 3))
      await store(other, 'notes', hostileItems(random, OWN_ITEMS / 3))
      await store(other, 'drafts', hostileItems(random, OWN_ITEMS / 3))
    }
    await call('GET', '/auth/merge', { source: other, dest: token })
  }
  await enter('demo-social', 'ada', token)
  const profiles = [...serviceNames, encodeURIComponent(await dmitriAt(tributary.url, token))]
  for (const profile of profiles) {
    await synced(at, token, profile)
    // A second sync would add what the lab's people wrote meanwhile.
    await call('POST', `/profiles/${profile}/pause`, { access_token: token })
  }
  await tributary.idle('syncs')
  return {
    url: tributary.url,
    token,
    stop: async () => {
      try {
        await tributary.stop()
      } finally {
        await lab.close()
      }
    },
  }
}

/** The profile of Demo Social that the name of the service does not mean: the one that was connected first. */
async function dmitriAt(url: string, token: string): Promise<string> {
  const response = await fetch(`${url}/profiles?full=true&access_token=${token}`)
  const profiles = (await response.json()) as Record<string, { handle: string; profile: string }[]>
  return profiles['demo-social']!.find(({ handle }) => handle === 'dmitri')!.profile
}
