import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Hangup } from '#base/hangup.ts'
import { createProxy } from '#flows/proxy/forward.ts'
import type { ProxyNeed } from '#flows/proxy/need.ts'
import type { Profile } from '#model/profile.ts'

export interface Proxied {
  status: number
  headers: Record<string, string | string[]>
  text: string
}

/** One GET in this person's name, through a proxy that remembers nothing. Rejects where the proxy itself refuses. */
export async function proxied(deps: ProxyNeed, profile: Profile, path: string, paginate = false): Promise<Proxied> {
  const { part, accountId, appId } = profile
  const proxy = createProxy(deps)
  try {
    const { status, headers, body } = await proxy.forward(
      { part, id: accountId, appId, parts: [part], createdAt: 0 },
      {
        profile: `${profile.nativeId}@${profile.service}`,
        method: 'GET',
        path,
        query: '',
        headers: {},
        body: Readable.from([]),
        paginate,
        onFlow: () => {},
        hangup: new Hangup(),
        onProfile: () => {},
        told: { refreshed: false, retried: false },
      },
    )
    const text = (Buffer.isBuffer(body) ? body : await buffer(body)).toString()
    return { status, headers, text }
  } finally {
    await proxy.close()
  }
}
