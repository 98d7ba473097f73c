import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { lastSync, nameOf } from './account-words.ts'

type Profiles = Parameters<typeof lastSync>[0]

const profile = (more: Partial<Profiles[number]>): Profiles[number] => ({
  profile: '1@github',
  service: 'github',
  state: 'active',
  connected_at: 1,
  ...more,
})

suite('an account in words', () => {
  test('is called by the first name that is not empty, else by a handle', () => {
    assert.equal(nameOf({ profiles: [profile({ name: '', handle: 'ada' }), profile({ name: 'Ada' })] }), 'Ada')
    assert.equal(nameOf({ profiles: [profile({}), profile({ name: '', handle: 'ada' })] }), 'ada')
    assert.equal(nameOf({ profiles: [] }), 'Unnamed')
  })

  test('was synced when any of its profiles was', () => {
    assert.equal(lastSync([profile({ synced_at: 5 }), profile({ synced_at: 9 }), profile({})]), 9)
    assert.equal(lastSync([profile({})]), undefined)
  })
})
