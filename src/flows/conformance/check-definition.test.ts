import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { checkDefinition } from './check-definition.ts'

suite('the definition of a connector', () => {
  test('may have no endpoints: then it is for sign-in and the proxy', () => {
    const plain = {
      service: 'plain',
      title: 'Plain',
      docs: 'https://plain.example/docs',
      auth: oauth2({ authorizeUrl: 'https://plain.example/authorize', tokenUrl: 'https://plain.example/token' }),
      api: { baseUrl: 'https://plain.example/api' },
      self: self<{ id: string }>('/me', ({ id }) => ({ id })),
    }
    checkDefinition(defineConnector(plain))
    const notPositive = { ...plain.api, limits: { app: { calls: 0, perS: 60 } } }
    assert.throws(() => checkDefinition(defineConnector({ ...plain, api: notPositive })), /limits are positive/)
  })
})
