import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ROUTES } from '#http/routes.ts'
import { randomSecret } from '#platform/crypto/ids.ts'
import { statement } from '#platform/postgres/database.ts'
import { makeApp } from '../../harness/app.ts'
import { onServer } from '../../harness/database/database.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
const responses: string[] = []
const canaries: Record<string, string> = {}

/** Sends a secret in every possible position and collects the responses. */
async function carry(method: string, path: string, secret: string): Promise<void> {
  const where = `${tributary.url}${path.replaceAll(/:\w+/g, 'none')}`
  const json = { 'content-type': 'application/json' }
  const calls: [string, RequestInit][] = [
    [where, { headers: { authorization: `Bearer ${secret}` } }],
    [where, { headers: { authorization: `Basic ${Buffer.from(`app_x:${secret}`).toString('base64')}` } }],
    [where, { headers: { cookie: `session=${secret}`, 'x-api-key': secret } }],
    [`${where}?access_token=${secret}&client_secret=${secret}&code=${secret}&state=${secret}`, {}],
  ]
  if (method !== 'GET') {
    calls.push(
      [
        where,
        {
          headers: json,
          body: JSON.stringify({ secret, client_secret: secret, access_token: secret, name: [secret] }),
        },
      ],
      [where, { headers: json, body: `{"secret":"${secret}",` }],
      [
        where,
        {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `client_secret=${secret}&code=${secret}`,
        },
      ],
      [
        where,
        {
          headers: { ...json, authorization: `Bearer ${tributary.adminToken}` },
          body: JSON.stringify({ key: secret, secret: [secret] }),
        },
      ],
    )
  }
  for (const [address, init] of calls) {
    const response = await fetch(address, { method, redirect: 'manual', ...init })
    // A redirect or page may repeat a value to its own caller; bodies of refusals must repeat nothing.
    if (response.status >= 400) responses.push(await response.text())
    else await response.body?.cancel()
  }
}

before(async () => {
  tributary = await startTributary({ TRUST_PROXY: '127.0.0.1' })
  const app = await makeApp(tributary)
  const rotated = (await tributary.admin('POST', `/admin/apps/${app.clientId}/rotate-secret`, {})).body as {
    client_secret: string
  }
  canaries['app secret'] = app.secret
  canaries['second app secret'] = rotated.client_secret
  canaries['service secret'] = `svc-${randomSecret()}`
  canaries['admin token'] = tributary.adminToken
  canaries['wrong app secret'] = `trs_${randomSecret()}`
  canaries['wrong admin token'] = `tra_${randomSecret()}`
  canaries['foreign token'] = `gho-${randomSecret()}`
  await tributary.admin('PUT', `/admin/apps/${app.clientId}/keys/github`, {
    key: 'k',
    secret: canaries['service secret'],
  })
})
after(() => tributary.stop())

suite('S13 canary secrets', () => {
  test('through every endpoint, accepted or refused, leave no trace in logs, refusals or metrics', async () => {
    let from = 0
    const untouched = globalThis.fetch
    // Each call from another address, so that the block on guessing does not hide the rest.
    globalThis.fetch = (address, init) => {
      from += 1
      const headers = {
        ...(init?.headers as Record<string, string>),
        'x-forwarded-for': `10.${from >> 16}.${(from >> 8) & 255}.${from & 255}`,
      }
      return untouched(address, { ...init, headers })
    }
    try {
      for (const [method, path] of ROUTES)
        for (const secret of Object.values(canaries)) await carry(method, path, secret)
    } finally {
      globalThis.fetch = untouched
    }
    responses.push(await (await fetch(`${tributary.url}/metrics`)).text())
    assert.ok(responses.length > 100)
    assert.ok(tributary.logged.length > 100)
    const found = Object.entries(canaries).flatMap(([what, secret]) => [
      ...tributary.logged.filter((line) => line.includes(secret)).map((line) => `${what} in the log: ${line}`),
      ...responses.filter((text) => text.includes(secret)).map((text) => `${what} in a response: ${text}`),
    ])
    assert.deepEqual(found.slice(0, 5), [])
    assert.deepEqual(tributary.logged.filter((line) => line.includes('"internal"')).slice(0, 3), [])
  })

  test('leave no trace in the errors of a lost database', async () => {
    const name = new URL(tributary.databaseUrl).pathname.slice(1)
    await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    for (const secret of Object.values(canaries))
      await fetch(`${tributary.url}/admin/apps?access_token=${secret}`, {
        headers: { authorization: `Bearer ${secret}` },
      })
    const { password } = new URL(tributary.databaseUrl)
    const secrets = [...Object.values(canaries), ...(password === '' ? [] : [password])]
    assert.deepEqual(
      tributary.logged.filter((line) => secrets.some((secret) => line.includes(secret))),
      [],
    )
  })

  test('are in no table in clear', async () => {
    const tables = statement(
      'canary-tables',
      `select table_schema || '.' || table_name as name from information_schema.tables where table_schema in ('public', 'engine') and table_type = 'BASE TABLE'`,
    )
    const { database } = tributary.store
    const dump: string[] = []
    for (const { name } of await database.rows<{ name: string }>(tables)) {
      const rows = await database.rows<{ row: string }>({ name: '', text: `select t::text as row from ${name} t` })
      dump.push(...rows.map(({ row }) => `${name}: ${row}`))
    }
    assert.ok(
      dump.some((row) => row.includes('App')),
      'the dump shows what is there',
    )
    const spelled = (secret: string) => [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64').slice(0, -4),
    ]
    const found = Object.entries(canaries).flatMap(([what, secret]) =>
      dump.filter((row) => spelled(secret).some((text) => row.includes(text))).map((row) => `${what} in ${row}`),
    )
    assert.deepEqual(found, [])
  })
})
