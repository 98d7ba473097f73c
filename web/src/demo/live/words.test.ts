import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { EndpointProgress, Profile } from '@tributary-hub/client/generated/api.ts'
import { endpointCount, endpointTrouble, headline, type Overview, profileOf, profileWords } from './words.ts'

const endpoint = (more: Partial<EndpointProgress>): EndpointProgress => ({
  state: 'done',
  items: 0,
  progress: 1,
  next_run: 0,
  ...more,
})

suite('the state of a profile in words', () => {
  const label = (state: Profile['state'], endpoints: EndpointProgress[], isThrottling = false) =>
    profileWords(state, endpoints, isThrottling).label

  test('a sign-in that is missing comes before everything else', () => {
    assert.equal(label('needs_auth', [endpoint({ state: 'failing', last_reason: 'service_failed' })]), 'Signed out')
  })

  test('waiting for the service is told from a service that is down', () => {
    assert.equal(label('active', [endpoint({ state: 'waiting', last_reason: 'rate_limited' })]), 'Waiting')
    assert.equal(label('active', [endpoint({ state: 'failing', last_reason: 'service_timeout' })]), 'Service is down')
    assert.equal(label('limited', []), 'Waiting')
  })

  test('a throttled service is waited for only while something is read', () => {
    assert.equal(label('active', [endpoint({ state: 'running' })], true), 'Waiting')
    assert.equal(label('active', [endpoint({})], true), 'Up to date')
  })

  test('otherwise it reads, or is up to date', () => {
    assert.equal(label('active', [endpoint({}), endpoint({ state: 'waiting' })]), 'Reading')
    assert.equal(label('active', []), 'Up to date')
  })
})

suite('an endpoint in words', () => {
  test('how far it is', () => {
    assert.equal(endpointCount(endpoint({ state: 'running', pages: 2, items: 1234 })), 'page 3 · 1,234')
    assert.equal(endpointCount(endpoint({ state: 'waiting' })), 'waiting')
    assert.equal(endpointCount(endpoint({ items: 5 })), '5')
  })

  test('what is in the way, and when it is tried again', () => {
    const trouble = (more: Partial<EndpointProgress>) => endpointTrouble(endpoint(more), 1000)
    assert.equal(
      trouble({ state: 'waiting', last_reason: 'capacity', next_run: 31_000 }),
      'throttled, next try in 30 s',
    )
    assert.equal(trouble({ state: 'failing', last_reason: 'service_failed', next_run: 0 }), 'not reached, next try now')
    assert.equal(trouble({ state: 'failing', next_run: 601_000 }), 'failed, next try in 10 min')
    assert.equal(trouble({ state: 'failing', last_reason: 'service_refused' }), 'not allowed for this sign-in')
    assert.equal(trouble({ state: 'running', last_reason: 'rate_limited' }), '')
    assert.equal(trouble({}), '')
  })
})

suite('everything in a line', () => {
  const overview = (more: Partial<Overview>): Overview => ({
    state: 'complete',
    items: 1,
    endpoints: { done: 2, of: 3 },
    profiles: [],
    ...more,
  })

  test('says how far the first sync is, and then that it goes on', () => {
    assert.equal(headline(undefined), 'Connecting …')
    assert.match(headline(overview({ state: 'first_sync' })), /1 item from 0 services so far, 2 of 3 endpoints$/)
    assert.match(headline(overview({ items: 2 })), /^2 items .*arrives by itself$/)
    assert.match(headline(overview({ state: 'needs_auth' })), /new sign-in$/)
  })

  test('the profile of a service is the one that was connected last', () => {
    const [first, last] = [{ id: '1' }, { id: '2' }] as unknown as Profile[]
    assert.equal(profileOf({ id: 'account', github: [first!, last!] }, 'github'), last)
    assert.equal(profileOf({ id: 'account', github: [first!] }, 'flickr'), undefined)
    assert.equal(profileOf(undefined, 'github'), undefined)
  })
})
