import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ProxyDeps } from '#flows/proxy/deps.ts'
import { createProxy } from '#flows/proxy/forward.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { Hangup } from '#platform/waiting/hangup.ts'

export interface Proxied {
  status: number
  headers: Record<string, string | string[]>
  text: string
}

/** One GET as this person, through a proxy without cached state. Rejects when the proxy itself refuses. */
export async function proxied(deps: ProxyDeps, profile: Profile, path: string, paginate = false): Promise<Proxied> {
  const { shard, accountId, appId } = profile
  const proxy = createProxy(deps)
  try {
    const { status, headers, body } = await proxy.forward(
      { account: { shard, id: accountId, appId, shards: [shard], createdAt: 0 } },
      {
        profile: `${profile.nativeId}@${profile.service}`,
        proxyUrl: 'http://localhost/proxy/any',
        method: 'GET',
        path,
        query: '',
        headers: {},
        body: Readable.from([]),
        paginate,
        onStreamedBody: () => {},
        hangup: new Hangup(),
        onProfile: () => {},
        flags: { refreshed: false, retried: false, secrets: [] },
      },
    )
    const text = (Buffer.isBuffer(body) ? body : await buffer(body)).toString()
    return { status, headers, text }
  } finally {
    await proxy.close()
  }
}
