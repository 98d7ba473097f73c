import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Database, Queries, Statement } from '#platform/postgres/database.ts'
import { basic } from '../../harness/app.ts'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, signIn } from '../../harness/sign-in.ts'
import { until } from '../../harness/until.ts'
import { EVERY_SHARD } from '../../store/every-shard.ts'

const SOURCES = join(import.meta.dirname, '../../../src')

/** Files with a transaction that touches several shards, and why. */
const SEVERAL_SHARDS: Record<string, string> = {
  'flows/sign-in/exchange-code.ts': 'a code joins a service user to an account; each has its shard',
  'identity/merge.ts': 'two accounts and their service users',
  'identity/disconnect.ts': 'a profile, its service user, and after a merge the profiles of several shards',
  'identity/erase-app.ts':
    'an account with its service users, and the profiles of several shards after a merge; at the end the app, after a look for sign-ins in every shard',
  'flows/accounts/delete-app.ts': 'marks the app, then counts its accounts in every shard',
  'flows/sync/own-items/store-own-items.ts': 'after a merge, own items that were stored in either account',
  'flows/sync/own-items/delete-own-item.ts': 'after a merge, an own item that was stored in either account',
  'flows/push/manage/control.ts': 'a replay of one profile, and the audit entry in the shard of the app',
}

/** Files whose transactions the walk does not run, unless by chance, with what was found by reading them. */
const NOT_RUN: Record<string, string> = {
  'flows/apps/test-keys.ts': 'one shard: the audit entry',
  'identity/accounts.ts': 'one shard',
  'flows/agents/consent.ts': 'one shard: the account, its grant and the audit entry',
  'flows/agents/grants.ts': 'one shard: the grant and the audit entry',
  'flows/agents/sign-in.ts': 'a code and the service user, read only; a code of an unknown person is deleted',
  'flows/agents/tokens.ts': 'one shard: the grant, its tokens and the audit entry',
  'flows/apply/apply.ts': 'as exchange-code.ts: a service user and an account',
  'flows/apply/apply-refresh-token.ts': 'one shard: the applied token',
  'flows/sign-in/confirm.ts':
    'as exchange-code.ts where a token is issued at once or a profile reconnected; otherwise one shard',
  'flows/sign-in/ask-for-tenant.ts': 'one shard: the choice',
  'flows/connect/connect-session.ts': 'one shard: the session and the audit entry',
  'identity/reconnect.ts': 'as exchange-code.ts: a service user, an account and a profile',
  'flows/connect/connections-session.ts': 'one shard: the account, its links and the audit entry',
  'flows/uploads/import-file.ts': 'as exchange-code.ts: a service user, an account and a profile',
  'flows/uploads/read-upload.ts': 'one shard: the upload',
  'flows/connect/reconnect-link.ts': 'one shard',
  'flows/proxy/proxy-tokens.ts':
    'the account, its tokens and the audit entry in one shard; after a merge, profiles of other shards are read',
  'identity/revoke-token.ts': 'one shard: the service user',
  'flows/read/people/decide.ts': 'one shard: the account, its decisions and the audit entry',
  'flows/operators/demo-visitor.ts': 'one shard: the audit entry',
  'flows/operators/links.ts': 'one shard: the audit entry; operators, their links, passkeys and sessions have no shard',
  'flows/operators/operators.ts': 'one shard: the audit entry',
  'flows/operators/passkeys.ts': 'one shard: the audit entry',
  'flows/operators/passwords.ts': 'one shard: the audit entry',
  'flows/operators/sessions.ts': 'one shard: the audit entry',
  'flows/sync/reread/reread-profiles.ts': 'one shard',
  'flows/sync/run/refresh-self.ts': 'one shard',
  'flows/push/deliver/settle-failure.ts': 'none: destination and events',
  'store/push/leases.ts': 'cursors of a feed, on one server only: a sharded one finishes each by itself',
  'flows/push/deliver/bisect-rejects.ts': 'one shard',
  'flows/push/deliver/reconcile-checkpoint.ts': 'one shard',
  'flows/push/deliver/count-worker-death.ts': 'one shard: the audit entry',
  'flows/push/manage/verify.ts': 'one shard: the audit entry',
  'flows/operations/demo.ts': 'none: the app and its keys',
  'flows/operations/demo-sync.ts': 'one shard: a transaction for each profile of the demo',
  'flows/sync/schedule/count-worker-death.ts': 'one shard',
  'flows/sync/commit/report-quota.ts': 'one shard',
  'flows/sync/fetch/report-spending.ts': 'one shard: the app',
  'flows/sync/hooks/store-items.ts': 'one shard',
  'flows/sync/pause.ts': 'one shard',
  'access/needs-auth.ts': 'one shard',
  'store/push/dead-letter-limit.ts':
    'dead letters of a destination in any shard, oldest first, and the count of its row: only maintenance deletes by age, and one process at a time',
  'store/sync/endpoint-requests.ts': 'one shard: a transaction for each shard of the app',
  'store/sync/quarantine.ts': 'one shard: a transaction for each shard of the app',
}

const everyShard = new Set(Object.values(EVERY_SHARD).flat())

/** The file of the sources that called. */
function caller(): string {
  for (const [, url] of (new Error().stack ?? '').matchAll(/(file:\/\/[^)\n]+?):\d+:\d+/g)) {
    const file = relative(SOURCES, fileURLToPath(url!))
    if (!file.startsWith('..')) return file
  }
  return 'unknown'
}

/** The shards that a statement names by its values; undefined for one on a table that has none. */
function shardsOf({ name, text }: Statement, values: readonly unknown[]): unknown[] | undefined {
  if (everyShard.has(name)) return ['every']
  if (!/\bshard\b/.test(text)) return undefined
  const given = [...text.matchAll(/(?:\bshard = (?:any ?\()?\$(\d+)|\bunnest\(\$(\d+)::smallint\[\])/g)].map(
    ([, one, many]) => Number(one ?? many),
  )
  const insert = /insert into \w+(?: as \w+)? \(([^)]*)\) (?:values \(|select )(.*)/.exec(text)
  const at = insert?.[1]!.split(', ').indexOf('shard') ?? -1
  const inserted = /^\$(\d+)/.exec(at < 0 ? '' : (insert![2]!.split(', ')[at] ?? ''))?.[1]
  if (inserted !== undefined) given.push(Number(inserted))
  return given.length === 0 ? [`unknown: ${name}`] : given.flatMap((n) => values[n - 1])
}

/** Notes the shards of each transaction under the file that began it. */
function watchTransactions(database: Database): Map<string, Set<unknown>[]> {
  const seen = new Map<string, Set<unknown>[]>()
  const plain = { ...database }
  database.transaction = (work) => {
    const file = caller()
    return plain.transaction(async (tx) => {
      const shards = new Set<unknown>()
      const noted = <Args extends [Statement, (readonly unknown[])?]>(...[query, values]: Args): Args => {
        for (const shard of shardsOf(query, values ?? query.values ?? []) ?? []) shards.add(shard)
        return [query, values] as unknown as Args
      }
      const watched: Queries = {
        rows: (...args) => tx.rows(...noted(...args)),
        count: (...args) => tx.count(...noted(...args)),
      }
      const result = await work(watched)
      seen.set(file, [...(seen.get(file) ?? []), shards])
      return result
    })
  }
  return seen
}

suite('a transaction', () => {
  let harness: LabHarness
  let theirs: ClientDatabase
  let seen: Map<string, Set<unknown>[]>
  before(async () => {
    theirs = await clientDatabase()
    harness = await startLabHarness()
    seen = watchTransactions(harness.tributary.store.database)
    await walkThrough()
  })
  after(async () => {
    await harness.stop()
    await theirs.drop()
  })

  const synced = ({ access_token: token }: Granted) =>
    until('the first sync is done', async () => {
      const { body } = await get(harness, '/profiles/demo-health/sync', token)
      return Object.values(body as Record<string, { state: string }>).every(({ state }) => state === 'done')
    })

  /** An app's life: people sign in, sync, write, merge, leave; it delivers; it is deleted. */
  async function walkThrough(): Promise<void> {
    const { admin } = harness.tributary
    const app = await harness.makeApp()
    const asApp = async (method: string, path: string, json?: unknown) => {
      const response = await send(harness, method, path, {
        headers: basic(app),
        ...(json === undefined ? {} : { json }),
      })
      assert.ok(response.status < 300, `${method} ${path}: ${response.text}`)
      return response.body
    }
    const asAdmin = async (method: string, path: string, body?: unknown) => {
      const response = await admin(method, `/admin/apps/${app.clientId}${path}`, body)
      assert.ok(response.status < 300, `${method} ${path}: ${JSON.stringify(response.body)}`)
    }
    await asAdmin('POST', '/rotate-secret')
    await asAdmin('PUT', '/quotas', {})
    await asAdmin('PUT', '/sync', {})
    await asAdmin('PATCH', '/spending', {})
    const made = await asApp('POST', '/push', { name: 'Ours', kind: 'postgres', url: theirs.url, filter: ['*'] })
    const path = `/push/${String(made['id'])}`
    const ada = await signIn(harness, 'demo-health', 'ada', {}, app)
    const ben = await signIn(harness, 'demo-health', 'ben', {}, app)
    await signIn(harness, 'demo-health', 'ada', { access_token: ben.access_token }, app)
    await send(harness, 'POST', '/services/self/notes', { token: ada.access_token, json: [{ id: 'mine' }] })
    await synced(ada)
    await asApp('GET', '/accounts/changes')
    await send(harness, 'POST', '/profiles/demo-health/sync', { token: ada.access_token })
    await send(harness, 'POST', '/profiles/demo-health/reset', { token: ada.access_token })
    await asApp('PATCH', path, { name: 'Theirs' })
    for (const verb of ['pause', 'resume', 'run', 'backfill', 'redrive', 'verify'])
      await asApp('POST', `${path}/${verb}`, {})
    const [profile] = await harness.sql<{ profile_id: string }>('select profile_id from delivery_cursor limit 1')
    await asApp('POST', `${path}/replay`, { profile: profile!.profile_id })
    const query = { source: ada.access_token, dest: ben.access_token }
    const merged = await send(harness, 'GET', '/auth/merge', { query })
    assert.equal(merged.status, 200, merged.text)
    const json = [{ id: 'mine', text: 'ours now' }, { id: 'new' }]
    await send(harness, 'POST', '/services/self/notes', { token: ben.access_token, json })
    await send(harness, 'DELETE', '/services/self/notes/mine', { token: ben.access_token })
    await send(harness, 'DELETE', '/profiles/demo-health', { token: ben.access_token })
    await until('the destination is caught up', async () => (await asApp('GET', path))['profiles_behind'] === 0)
    await asAdmin('DELETE', '?erase=true')
    await until(
      'the app is deleted',
      async () => (await harness.sql('select 1 from app where id = $1', [app.clientId])).length === 0,
    )
  }

  test('touches one shard, but for those that are listed', () => {
    const several = [...seen].filter(([, all]) => all.some((shards) => shards.has('every') || shards.size > 1))
    const files = several.map(([file]) => file).filter((file) => NOT_RUN[file] === undefined)
    assert.deepEqual(files.sort(), Object.keys(SEVERAL_SHARDS).sort())
  })

  test('says its shards in a way that is understood here', () => {
    const unknown = [...seen].flatMap(([file, all]) =>
      all.flatMap((shards) => [...shards].map((shard) => `${file} ${String(shard)}`)),
    )
    assert.deepEqual(
      unknown.filter((shard) => shard.includes('unknown')),
      [],
    )
  })

  test('that the walk does not run is listed', () => {
    const files = globSync('{access,flows,identity,store}/**/*.ts', { cwd: SOURCES })
      .filter((file) => !file.endsWith('.test.ts'))
      .filter((file) => /\bdatabase\s*\.transaction\(/.test(readFileSync(join(SOURCES, file), 'utf8')))
    assert.deepEqual(
      files.filter((file) => !seen.has(file) && NOT_RUN[file] === undefined),
      [],
    )
    assert.deepEqual(
      Object.keys(NOT_RUN).filter((file) => !files.includes(file)),
      [],
    )
  })
})
