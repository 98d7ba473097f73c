import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readById, readByNativeId, scopeOfEndpoint } from '#flows/read/find.ts'
import { dataRoute } from '#http/data-route.ts'
import { route } from '#http/route.ts'

// What follows must not compile: the type check fails where one of these lines has no error any more.

const outsiders = [
  // @ts-expect-error nobody is let in as an account
  route({ auth: 'none', summary: '', run: async (_, { account }) => account }),
  // @ts-expect-error nor for a page
  route({ auth: 'browser', summary: '', run: async (_, { account }) => account }),
  // @ts-expect-error an operator is no app
  route({ auth: 'admin', summary: '', run: async (_, { app }) => app }),
  // @ts-expect-error an app is no account
  route({ auth: 'app', summary: '', run: async (_, { account }) => account }),
  // @ts-expect-error an account is no app
  route({ auth: 'account', summary: '', run: async (_, { app }) => app }),
  // @ts-expect-error only accounts are cached
  route({ auth: 'app', usesCachedAccount: true, summary: '', run: async (_, { app }) => app }),
]

const unproven = [
  route({
    auth: 'account',
    usesCachedAccount: true,
    summary: '',
    // @ts-expect-error its token may be revoked: nothing but a reading that proves it may use it
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
  // @ts-expect-error not even its id can be had by accident
  dataRoute({ usesCachedAccount: true, summary: '', run: async (_, { account }) => account.id }),
]

suite('the types of routes', () => {
  test('give a handler whom its auth lets in, and nobody else', () => {
    assert.deepEqual(
      outsiders.map(({ auth }) => auth),
      ['none', 'browser', 'admin', 'app', 'account', 'app'],
    )
  })

  test('let an account that is only cached reach nothing but a statement that proves it', () => {
    assert.ok(unproven.every((each) => each.auth === 'account' && each.usesCachedAccount === true))
  })
})
