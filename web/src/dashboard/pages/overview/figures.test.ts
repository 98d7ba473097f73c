import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Attention } from '@tributary-hub/client/generated/api.ts'
import { targetOf } from './attention-target.ts'
import { figuresOf, partsOf, WIDTH } from './figures.ts'

suite('figures of the overview', () => {
  const profiles = [
    { service: 'github', state: 'active', n: 5 },
    { service: 'flickr', state: 'active', n: 1 },
    { service: 'flickr', state: 'needs_auth', n: 2 },
  ] as const

  test('count the last day, though the hours of a week are there', () => {
    const hours = Array.from({ length: 168 }, (_, index) => ({ at: index, added: 1, updated: index < 144 ? 100 : 2 }))
    const found = figuresOf({ profiles: [...profiles], items_per_hour: hours, push: [] })
    assert.deepEqual(found, { total: 8, active: 6, added: 24, updated: 48, pushLag: 0, behind: 0 })
  })

  test('the lag is that of the slowest destination, what waits is the sum', () => {
    const push = [
      { lag_ms: 10, behind: 1 },
      { lag_ms: 30, behind: 2 },
    ]
    const { pushLag, behind } = figuresOf({ profiles: [], items_per_hour: [], push })
    assert.deepEqual({ pushLag, behind }, { pushLag: 30, behind: 3 })
  })

  test('the parts of the bar follow each other and fill it', () => {
    assert.deepEqual(partsOf([...profiles]), [
      { state: 'active', n: 6, x: 0, width: 750 },
      { state: 'needs_auth', n: 2, x: 750, width: 250 },
    ])
    assert.equal(
      partsOf([...profiles]).reduce((sum, { width }) => sum + width, 0),
      WIDTH,
    )
    assert.deepEqual(partsOf([]), [])
  })
})

suite('where something that requires attention is repaired', () => {
  const entry = (more: Partial<Attention>): Attention => ({ kind: 'needs_auth', level: 'bad', n: 1, text: '', ...more })

  test('a destination on its own page, for its app', () => {
    assert.deepEqual(targetOf(entry({ kind: 'dead_letters', app: 'a', subject: 'd-1' }))?.link, {
      to: '/push/$destination',
      params: { destination: 'd-1' },
      search: { app: 'a' },
    })
    assert.equal(targetOf(entry({ kind: 'dead_letters' })), undefined)
  })

  test('accounts by what is wrong with them', () => {
    assert.deepEqual(targetOf(entry({ app: 'a', subject: 'github' }))?.link.search, {
      app: 'a',
      service: 'github',
      state: 'needs_auth',
    })
    assert.deepEqual(targetOf(entry({ kind: 'endpoints_parked', app: 'a' }))?.link.search, {
      app: 'a',
      reason: 'worker_died',
    })
  })

  test('a backup in the settings; what the dashboard cannot repair has no link', () => {
    assert.equal(targetOf(entry({ kind: 'backup_old' }))?.link.to, '/settings')
    assert.equal(targetOf(entry({ kind: 'worker_down' })), undefined)
  })
})
