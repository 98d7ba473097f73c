import { makeApp } from '../harness/app.ts'
import { startTributary } from '../harness/start.ts'
import { DASHBOARD_PAGES, loadPage, type PageSubject, pausedDestination } from './dashboard-pages.ts'
import { seedInstallation } from './dashboard-seed.ts'

// How long each page of the dashboard takes with ACCOUNTS (10,000), three profiles each, and ITEMS (1,000,000). SAMPLES (20) of each.
const setting = (name: string, standard: number) => Number(process.env[name] ?? standard)
const ACCOUNTS = setting('ACCOUNTS', 10_000)
const ITEMS = setting('ITEMS', 1_000_000)
const SAMPLES = setting('SAMPLES', 20)
const GOAL_MS = 1000

const tributary = await startTributary()
const app = await makeApp(tributary)
const destination = await pausedDestination(tributary, app.clientId)
let began = performance.now()
const size = { accounts: ACCOUNTS, profilesPerAccount: 3, items: ITEMS }
const accounts = await seedInstallation(tributary.sql, { app: app.clientId, destination }, size)
process.stdout.write(`seeded in ${Math.round((performance.now() - began) / 1000)} s\n`)
process.stdout.write('| page | requests | first ms | p50 ms | p95 ms |\n|---|---|---|---|---|\n')

const slow: string[] = []
for (const [name, requestsOf] of Object.entries(DASHBOARD_PAGES)) {
  const times: number[] = []
  for (let i = 0; i < SAMPLES; i += 1) {
    const account = accounts[i % accounts.length]!
    const subject: PageSubject = { app: app.clientId, account, destination, person: `person${1 + i} hop` }
    began = performance.now()
    await loadPage(tributary, requestsOf(subject), subject)
    times.push(performance.now() - began)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
  if (at(0.95) > GOAL_MS) slow.push(name)
  const figures = [times[0]!, at(0.5), at(0.95)].map((ms) => Math.round(ms))
  const subject = { app: app.clientId, account: accounts[0]!, destination, person: 'x' }
  process.stdout.write(`| ${name} | ${requestsOf(subject).length} | ${figures.join(' | ')} |\n`)
}
process.stdout.write(slow.length === 0 ? `every page within ${GOAL_MS} ms (p95)\n` : `slower: ${slow.join(', ')}\n`)
await tributary.stop()
if (slow.length > 0) process.exitCode = 1
