import assert from 'node:assert/strict'
import { test } from 'node:test'
import { facebook } from '#connectors/facebook/connector.ts'
import { github } from '#connectors/github/connector.ts'
import { beginSignIn, finishSignIn } from '#upstream/sign-in.ts'
import { startLab } from '../../lab/lab.ts'
import { openUpstream } from '../harness/upstream.ts'
import { CALLBACK, labKey, walk } from './fixture.ts'

test('the e-mail address that a person does not show at GitHub', async () => {
  const lab = await startLab({ services: ['github'] })
  const open = openUpstream(lab.clock)
  try {
    const key = labKey(lab.services.github)
    const emailOf = async (scope?: string) => {
      const { back } = await walk(open.upstream, { connector: github, key, person: 'dmitri', scope })
      const { self } = await finishSignIn(open.upstream, back)
      return self.email
    }
    assert.match((await emailOf()) ?? '', /@/)
    // Without the scope the service refuses that call, and the person is known all the same.
    assert.equal(await emailOf('read:user'), undefined)
    lab.services.github.faults.add({ kind: 'status', path: '/user/emails', status: 500 })
    assert.equal(await emailOf(), undefined)
  } finally {
    await open.close()
    await lab.close()
  }
})

test('Facebook Login for Business: the configuration instead of scopes', async () => {
  const open = openUpstream()
  const key = { key: 'k', secret: 's', overrides: {}, settings: { config_id: '77' } }
  const { url } = await beginSignIn(open.upstream, { connector: facebook, key, callbackUrl: CALLBACK, state: 's' })
  const { searchParams } = new URL(url)
  assert.deepEqual([searchParams.get('config_id'), searchParams.get('scope')], ['77', null])
  await open.close()
})
