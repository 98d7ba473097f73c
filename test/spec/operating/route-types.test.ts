import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readById, readByNativeId, scopeOfEndpoint } from '#flows/read/find.ts'
import { dataRoute } from '#http/server/data-route.ts'
import { route } from '#http/server/route.ts'

// None of the following may compile: the type check fails where one of these lines no longer has an error.

const outsiders = [
  // @ts-expect-error auth `none` gives no account
  route({ auth: 'none', summary: '', run: async (_, { account }) => account }),
  // @ts-expect-error auth `browser` gives no account
  route({ auth: 'browser', summary: '', run: async (_, { account }) => account }),
  // @ts-expect-error auth `admin` gives no app
  route({ auth: 'admin', summary: '', run: async (_, { app }) => app }),
  // @ts-expect-error auth `app` gives no account
  route({ auth: 'app', summary: '', run: async (_, { account }) => account }),
  // @ts-expect-error auth `account` gives no app
  route({ auth: 'account', summary: '', run: async (_, { app }) => app }),
  // @ts-expect-error only accounts are cached
  route({ auth: 'app', usesCachedAccount: true, summary: '', run: async (_, { app }) => app }),
]

const unproven = [
  route({
    auth: 'account',
    usesCachedAccount: true,
    summary: '',
    // @ts-expect-error its token may be revoked: only a read that proves the account may use it
    run: async (harness, { account }) => readById(harness, account, 'id'),
  }),
  dataRoute({
    usesCachedAccount: true,
    summary: '',
    run: async (harness, { account }) => {
      const category = await scopeOfEndpoint(harness, account, 'service', 'endpoint')
      // @ts-expect-error this reads without a proof
      return readByNativeId(harness, category, 'endpoint', 'id')
    },
  }),
  // @ts-expect-error not even its id can be read by accident
  dataRoute({ usesCachedAccount: true, summary: '', run: async (_, { account }) => account.id }),
]

suite('the types of routes', () => {
  test('give a handler exactly what its auth provides', () => {
    assert.deepEqual(
      outsiders.map(({ auth }) => auth),
      ['none', 'browser', 'admin', 'app', 'account', 'app'],
    )
  })

  test('let a cached account reach only statements that prove it', () => {
    assert.ok(unproven.every((each) => each.auth === 'account' && each.usesCachedAccount === true))
  })
})
