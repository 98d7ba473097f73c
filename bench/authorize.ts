import '../src/platform/tune-heap.ts'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { loadConfig } from '#config/config.ts'
import { createApp } from '#flows/apps/apps.ts'
import { authenticateApp } from '#flows/apps/authenticate-app.ts'
import { exchangeCode } from '#flows/sign-in/exchange-code.ts'
import { accountOf } from '#identity/accounts.ts'
import type { LoggedDeps } from '#identity/deps.ts'
import { presentProfiles } from '#identity/profiles.ts'
import { traceSignIn } from '#identity/sign-in-trace.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { newTicket } from '#model/accounts/access-token.ts'
import type { App } from '#model/apps/app.ts'
import { systemClock } from '#platform/clock.ts'
import { randomShard } from '#platform/crypto/ids.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { insertConsent } from '#store/identity/consents.ts'
import { createOperationLog } from '#store/log/operation-log.ts'
import { start } from '../src/boot/app.ts'
import { openStore } from '../src/boot/open-store.ts'
import { freshDatabase } from '../test/harness/database/database.ts'
import { median } from './load.ts'

const CODES = 1000
const ROUNDS = 3
const CONCURRENCY = 8
const REDIRECT = 'https://app.example.com/back'
/** A service without endpoints, so that only the sign-in is measured. */
const SERVICE = 'bench'

const silent = createLog({ level: 'error', format: 'json', clock: systemClock, write: () => {} })

/** Redeeming a code and reading `/profiles` over HTTP, compared with the same transactions without HTTP in the same run. */
export async function benchAuthorize(): Promise<void> {
  const database = await freshDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-bench-'))
  const env = { DATABASE_URL: database.url, DATABASE_POOL: String(CONCURRENCY), TRIBUTARY_DATA: dataDir, PORT: '0' }
  const store = await openStore(loadConfig(env), silent)
  const server = fork(import.meta.filename, ['server'], { env: { PATH: process.env['PATH'], ...env } })
  try {
    const [url] = (await once(server, 'message')) as [string]
    const operations = createOperationLog(store)
    const deps = {
      ...store,
      operations,
      registry: createRegistry([]),
      config: { baseUrl: url },
    } as unknown as LoggedDeps
    const { app, secret } = await createApp(deps, { name: 'Bench', redirectUris: [REDIRECT] }, 'bench')
    const rates = { http: [] as number[], bare: [] as number[] }
    for (let round = 0; round <= ROUNDS; round += 1) {
      const http = await perSecond(deps, app, overHttp(url, app.id, secret))
      const bare = await perSecond(deps, app, (code) => withoutHttp(deps, app.id, secret, code))
      // The first round warms both up.
      if (round > 0) {
        rates.http.push(http)
        rates.bare.push(bare)
      }
    }
    const [http, bare] = [median(rates.http), median(rates.bare)]
    process.stdout.write(
      `redeem + /profiles over HTTP        ${http.toFixed(0).padStart(6)} /s   ${(http / bare).toFixed(2)} of bare\n`,
    )
    process.stdout.write(`the same transactions without HTTP  ${bare.toFixed(0).padStart(6)} /s\n`)
  } finally {
    server.kill()
    await once(server, 'exit')
    await store.close()
    await database.drop()
    rmSync(dataDir, { recursive: true })
  }
}

/** Creates the codes of people who sign in for the first time, as the callback does, and uses each one once. */
async function perSecond(deps: LoggedDeps, app: App, use: (code: string) => Promise<void>): Promise<number> {
  const codes = await Promise.all(Array.from({ length: CODES }, (_, i) => storeCode(deps, app, `${Date.now()}-${i}`)))
  const started = performance.now()
  const worker = async () => {
    for (let code = codes.pop(); code !== undefined; code = codes.pop()) await use(code)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return CODES / ((performance.now() - started) / 1000)
}

async function storeCode(deps: LoggedDeps, app: App, nativeId: string): Promise<string> {
  const shard = randomShard()
  const code = newTicket('trc', shard)
  const self = { id: nativeId, name: 'A person', email: 'person@people.test' }
  const credential = { token: 'x'.repeat(60), refreshToken: 'y'.repeat(60), expiresAt: Date.now() + 3_600_000 }
  await insertConsent(deps.database, deps.keyring, {
    shard,
    hash: deps.hasher.hash('code', code),
    kind: 'code',
    appId: app.id,
    service: SERVICE,
    nativeId,
    accountId: undefined,
    redirectUri: REDIRECT,
    codeChallenge: undefined,
    browser: undefined,
    value: JSON.stringify({ signedIn: { credential, self, raw: JSON.stringify(self) }, state: undefined }),
    expiresAt: Date.now() + 600_000,
  })
  return code
}

function overHttp(url: string, clientId: string, secret: string): (code: string) => Promise<void> {
  const pool = new Pool(url.replace('localhost', '127.0.0.1'), { connections: CONCURRENCY, pipelining: 1 })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return async (code) => {
    const body = new URLSearchParams({ client_id: clientId, client_secret: secret, code }).toString()
    const response = await pool.request({ method: 'POST', path: '/oauth/access_token', headers, body })
    const { access_token: token } = (await response.body.json()) as { access_token: string }
    const profiles = await pool.request({ method: 'GET', path: `/profiles?access_token=${token}` })
    await profiles.body.dump()
    if (profiles.statusCode !== 200) throw new Error(`/profiles responded with status ${profiles.statusCode}`)
  }
}

async function withoutHttp(deps: LoggedDeps, clientId: string, secret: string, code: string): Promise<void> {
  const app = await authenticateApp(deps, clientId, secret, '192.0.2.1')
  const { token } = await traceSignIn(deps, { step: 'code_exchange', requestId: 'bench' }, (signIn) =>
    exchangeCode(signIn, app, { code, isAuthenticated: true }),
  )
  const account = await accountOf(deps, token)
  await presentProfiles(deps, account!, { auth: false, full: false })
}

if (import.meta.main && process.argv[2] === 'server') {
  const started = await start(loadConfig(process.env), silent, 'bench', { serve: true })
  process.send?.(started.url)
  process.once('SIGTERM', () => void started.stop().then(() => process.exit(0)))
}
