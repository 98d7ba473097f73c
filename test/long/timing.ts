import { Agent, request } from 'node:http'
import { startDemo } from './demo.ts'
import { lowest, mean, welch } from './statistics.ts'

// Does the time of a refusal reveal how wrong a secret is? SAMPLES of each kind (default 100,000), in turns.
const SAMPLES = Number(process.env['SAMPLES'] ?? 100_000)
const WARM_UP = Math.min(2000, SAMPLES)
/** Above this the two kinds can be distinguished with certainty (the usual threshold of leakage tests). */
const TELLING = 4.5

// Every guess comes from an address of its own, so that none is refused for guessing too often.
const demo = await startDemo({ TRUST_PROXY: '127.0.0.1' })
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const { hostname, port } = new URL(demo.url)
let address = 0

const wrong = (matching: number) => demo.secret.slice(0, matching) + 'x'.repeat(demo.secret.length - matching)
const COMPARISONS = {
  'a secret whose first half is right, and one that is all wrong': [
    [demo.clientId, wrong(demo.secret.length / 2)],
    [demo.clientId, wrong(4)],
  ],
  'a known app and an unknown one': [
    [demo.clientId, wrong(4)],
    [`${demo.clientId.slice(0, -4)}0000`, wrong(4)],
  ],
} as const

let telling = 0
for (const [what, [one, other]] of Object.entries(COMPARISONS)) {
  for (let i = 0; i < WARM_UP; i += 1) await guess(...(i % 2 === 0 ? one : other))
  const times: [number[], number[]] = [[], []]
  for (let i = 0; i < SAMPLES; i += 1) {
    // The order alternates, so that it has no influence.
    const first = i % 2
    for (const which of [first, 1 - first] as const) times[which]!.push(await guess(...(which === 0 ? one : other)))
  }
  const [a, b] = times
  const trimmed = welch(lowest(a, 0.9), lowest(b, 0.9))
  const t = welch(a, b)
  if (Math.abs(trimmed) >= TELLING) telling += 1
  process.stdout.write(
    `${what}: ${SAMPLES} samples each, means ${mean(a).toFixed(4)} and ${mean(b).toFixed(4)} ms; t ${t.toFixed(2)}, ` +
      `without the slowest tenth ${trimmed.toFixed(2)} (${Math.abs(trimmed) < TELLING ? 'below' : 'NOT below'} ${TELLING})\n`,
  )
}
agent.destroy()
await demo.stop()
process.exitCode = telling === 0 ? 0 : 1

/** Milliseconds from the request to the end of the refusal. */
function guess(clientId: string, secret: string): Promise<number> {
  address += 1
  const headers = {
    authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
    'x-forwarded-for': `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`,
  }
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const outgoing = request({ hostname, port, path: '/oauth/revoke', method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => {
        if (response.statusCode === 401) resolve(performance.now() - startedAt)
        else reject(new Error(`status ${response.statusCode}, not 401`))
      })
    })
    outgoing.on('error', reject)
    outgoing.end('token=x')
  })
}
