import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Services } from '../../../sdk/src/index.ts'
import { makeApp } from '../../harness/app.ts'
import { tributary as command } from '../../harness/command-line.ts'
import { freePort } from '../../harness/free-port.ts'
import { send } from '../../harness/send.ts'
import { startUrl } from '../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

const KEYS = { key: 'k', secret: 's' }

/** A service whose people come back to this host. */
const reachedAt = async (host: string, run: (tributary: Tributary) => Promise<void>) => {
  const port = await freePort()
  const tributary = await startTributary({ PORT: String(port), BASE_URL: `http://${host}:${port}` })
  try {
    await run(tributary)
  } finally {
    await tributary.stop()
  }
}
const redirectOf = async (tributary: Tributary, service: string, app: { clientId: string }) => {
  const url = new URL(startUrl({ tributary }, service, { redirect_uri: 'https://app.test/' }, app))
  const response = await fetch(`${tributary.url}${url.pathname}${url.search}`, { redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '')
}

suite('a redirect address that the service refuses', () => {
  test('is said before the person is sent there, in the test of keys and beside the key form', () =>
    reachedAt('localhost', async (tributary) => {
      const app = await makeApp(tributary, { keys: { slack: KEYS, spotify: KEYS, github: KEYS } })
      for (const [service, rule] of [
        [
          'slack',
          /^Slack refuses a redirect address that is not https: http:\/\/localhost:\d+\/auth\/slack\/callback\./,
        ],
        ['spotify', /^Spotify refuses .* and localhost: .* http:\/\/127\.0\.0\.1:PORT\.$/],
      ] as const) {
        const back = await redirectOf(tributary, service, app)
        assert.equal(back.origin, 'https://app.test')
        assert.equal(back.searchParams.get('error'), 'callback_refused')
        assert.match(back.searchParams.get('error_description') ?? '', rule)
        const path = `/admin/apps/${app.clientId}/keys/${service}/test`
        const { body } = await tributary.admin('POST', path)
        const { result, steps, conditions } = body as {
          result: string
          steps: { step: string; reason: string; detail: string }[]
          conditions: { says: string; source: string }[]
        }
        assert.deepEqual([result, steps.length, steps[0]?.reason], ['failed', 1, 'callback_refused'])
        assert.match(steps[0]?.detail ?? '', rule)
        assert.match(conditions[0]?.says ?? '', /redirect address/)
        assert.match(conditions[0]?.source ?? '', /^https:/)
        const listed = (await send({ tributary }, 'GET', `/services?client_id=${app.clientId}`)).body as Services
        assert.match(listed[service]?.callback_fault ?? '', rule)
        assert.deepEqual(listed[service]?.conditions, conditions)
      }
      // Nothing is known against it there.
      assert.equal((await redirectOf(tributary, 'github', app)).hostname, 'github.com')
      const [begun] = await tributary.sql('select count(*)::int as count from pending')
      assert.equal(begun?.['count'], 1, 'only the sign-in that began')
      const env = {
        DATABASE_URL: tributary.databaseUrl,
        TRIBUTARY_DATA: tributary.dataDir,
        BASE_URL: tributary.url,
      }
      const { code, stdout } = await command(['keys', 'test', app.clientId, 'slack'], env)
      assert.equal(code, 4)
      assert.match(
        stdout,
        /FAIL\s+callback\s+Slack refuses[\s\S]*The service demands: The redirect address must be https/,
      )
    }))

  test('is none at an address of the loopback for who takes that, nor at addresses of the key', async () => {
    await reachedAt('127.0.0.1', async (tributary) => {
      const app = await makeApp(tributary, {
        keys: { slack: { ...KEYS, overrides: { authorize_url: 'https://slack.example/a' } }, spotify: KEYS },
      })
      assert.equal((await redirectOf(tributary, 'spotify', app)).hostname, 'accounts.spotify.com')
      assert.equal((await redirectOf(tributary, 'slack', app)).hostname, 'slack.example')
    })
  })
})
