import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readLimits } from '#access/learn-limits.ts'
import { connectors } from '#connectors/index.ts'
import { serviceNames } from '../../../lab/lab.ts'
import { AT, REFUSALS } from './recorded-refusals.ts'

const NO_READER_ERRORS = (error: unknown) => assert.fail(String(error))

suite('refusals as they were recorded', () => {
  for (const { service, status, headers = {}, body, whose, waitS, source } of REFUSALS)
    test(`${service}: ${status} ${JSON.stringify(body).slice(0, 150)}`, () => {
      const connector = connectors.find((one) => one.service === service)!
      const recovery = connector.api.recovery?.({ status, headers, body })
      const read = readLimits(connector, { status, headers, body, recovery }, AT, NO_READER_ERRORS)
      assert.equal(read.scope, whose, source)
      assert.ok(read.refusedForMs, source)
      if (waitS !== undefined) assert.equal(read.pausedUntilMs, AT + waitS * 1000, source)
    })

  test('a reset beyond every declared window pauses an app for an hour; a stated wait and a declared day count', () => {
    const rate = () => ({ remaining: 0, resetAtMs: AT + 80_000_000, of: 'app' as const })
    const pauseOf = (perS: number, headers: Record<string, string> = {}) => {
      const connector = { api: { baseUrl: '', rate, limits: { app: { calls: 9, perS } } } }
      const read = readLimits(connector, { status: 429, headers, recovery: undefined }, AT, NO_READER_ERRORS)
      return (read.pausedUntilMs ?? 0) - AT
    }
    assert.equal(pauseOf(60), 3_600_000)
    assert.equal(pauseOf(86_400), 80_000_000)
    assert.equal(pauseOf(60, { 'retry-after': '79892' }), 79_892_000)
  })

  test('every service of a vendor has one', () => {
    const ofVendors = serviceNames.filter((service) => !service.startsWith('demo-'))
    const recorded = new Set(REFUSALS.map(({ service }) => service))
    assert.deepEqual(
      ofVendors.filter((service) => !recorded.has(service)),
      [],
    )
  })
})
