import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { childEnvironment } from './child-memory.ts'

suite('the environment of child processes', () => {
  test('bounds what the C library keeps, and passes everything else on', () => {
    const child = childEnvironment({ PATH: '/bin' })
    assert.deepEqual(child, { PATH: '/bin', MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' })
  })

  test('what the operator has set wins', () => {
    assert.equal(childEnvironment({ MALLOC_ARENA_MAX: '4' })['MALLOC_ARENA_MAX'], '4')
  })
})
