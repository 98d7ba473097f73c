import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { limitChildMemory } from './child-memory.ts'

suite('the memory of child processes', () => {
  test('is limited by the environment, which keeps what the operator has set', () => {
    const environment: Record<string, string> = { PATH: '/bin', MALLOC_ARENA_MAX: '4' }
    limitChildMemory(environment)
    assert.deepEqual(environment, { PATH: '/bin', MALLOC_ARENA_MAX: '4', MALLOC_TRIM_THRESHOLD_: '131072' })
  })
})
