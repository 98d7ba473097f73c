import { Pool } from 'undici'

export interface Requests {
  count: number
  connections: number
  method?: 'GET' | 'POST'
  body?: Buffer
  headers?: (index: number) => Record<string, string>
}

/** Kept from turn to turn, because what is measured leaves connecting out. Connections end with their server. */
const pools = new Map<string, Pool>()

function poolOf(origin: string, connections: number): Pool {
  const pool = pools.get(origin) ?? new Pool(origin, { connections, pipelining: 1 })
  pools.set(origin, pool)
  return pool
}

/** Sends a number of requests to one address, several at once, and fails unless each is answered with 200. */
export async function sendRequests(url: string, requests: Requests): Promise<void> {
  const { count, connections, method = 'GET', body = null, headers = () => ({}) } = requests
  const { origin, pathname, search } = new URL(url)
  const pool = poolOf(origin, connections)
  let sent = 0
  const loop = async () => {
    for (let index = sent++; index < count; index = sent++) {
      const reply = await pool.request({ path: pathname + search, method, body, headers: headers(index) })
      const text = await reply.body.text()
      if (reply.statusCode !== 200)
        throw new Error(`${method} ${pathname}${search}: status ${reply.statusCode}: ${text.slice(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
}
