import { createApp } from '#flows/apps/apps.ts'
import { setServiceKey } from '#flows/apps/keys.ts'
import { connectProfile } from '#identity/connect-profile.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { randomShard } from '#platform/crypto/ids.ts'
import { setAppSync } from '#store/apps/apps.ts'
import type { Upstream } from '#upstream/request/send.ts'
import type { Store } from '../../src/boot/open-store.ts'
import type { App } from '../harness/app.ts'
import chaos from './connectors/chaos.ts'

/** Creates apps with keys for the service, connects everybody, and sets the sync interval of each app. Returns the apps. */
export async function populate(
  store: Store,
  service: { url: string; people: { app: number }[] },
  options: { apps: number; everyMs: number },
): Promise<App[]> {
  const apps: App[] = []
  for (let i = 0; i < options.apps; i += 1) {
    const { app, secret } = await createApp(store, { name: `Chaos ${i}`, redirectUris: ['https://app.test/'] }, 'chaos')
    const key = { service: 'chaos', key: 'key', secret: 'secret', overrides: { base_url: service.url } }
    await setServiceKey(store, app.id, key, 'chaos')
    await setAppSync(store.database, app.id, {
      off: [],
      on: [],
      spending: {},
      pace: { 'chaos/*': { text: `${options.everyMs} ms`, everyMs: options.everyMs } },
    })
    apps.push({ clientId: app.id, secret })
  }
  const deps = {
    ...store,
    registry: createRegistry([chaos]),
    config: { baseUrl: 'http://localhost' },
    // The service is not asked who the person is.
    upstream: {} as Upstream,
  }
  const everybody = service.people.map(({ app }, number) => ({ appId: apps[app]!.clientId, number }))
  for (let from = 0; from < everybody.length; from += 25) {
    await Promise.all(
      everybody.slice(from, from + 25).map(({ appId, number }) =>
        store.database.transaction((tx) =>
          connectProfile(deps, tx, {
            appId,
            service: 'chaos',
            signedIn: { credential: { token: `chaos-${number}` }, self: { id: String(number) }, raw: '{}' },
            actor: 'chaos',
            account: { how: 'new' },
            shard: randomShard(),
          }),
        ),
      ),
    )
  }
  return apps
}
