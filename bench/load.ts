import { Pool } from 'undici'

export interface Figures {
  perSecond: number
  p50Ms: number
  p99Ms: number
}

/** Requests one address repeatedly on several connections for a time, and measures rate and latency. */
export async function load(
  url: string,
  options: { connections: number; ms: number; headers?: Record<string, string> },
): Promise<Figures> {
  const { origin, pathname, search } = new URL(url)
  const pool = new Pool(origin, { connections: options.connections, pipelining: 1 })
  const times: number[] = []
  const started = performance.now()
  const until = started + options.ms
  const loop = async () => {
    while (performance.now() < until) {
      const before = performance.now()
      const response = await pool.request({ path: pathname + search, method: 'GET', headers: options.headers ?? {} })
      await response.body.dump()
      if (response.statusCode !== 200) throw new Error(`${url} responded with status ${response.statusCode}`)
      times.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: options.connections }, loop))
  const elapsedS = (performance.now() - started) / 1000
  await pool.close()
  times.sort((a, b) => a - b)
  return { perSecond: times.length / elapsedS, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}

export function median(values: number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

function quantile(sorted: number[], fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? 0
}
