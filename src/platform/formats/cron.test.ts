import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isTimeZone, MAX_CRON, nextRun, parseCron } from './cron.ts'

const runsAfter = (text: string, after: string, count = 1): string[] => {
  const line = parseCron(text)
  assert.ok(!('fault' in line), text)
  const runs: string[] = []
  for (let at = Date.parse(after); runs.length < count; ) {
    at = nextRun(line, at)!
    runs.push(new Date(at).toISOString().replace('.000Z', 'Z'))
  }
  return runs
}

suite('cron expressions with time zones', () => {
  const GOOD: [text: string, cron: string, zone: string | undefined][] = [
    ['0 6 * * *', '0 6 * * *', undefined],
    ['  0\t6  * *\n* ', '0 6 * * *', undefined],
    ['*/15 8-18 * * 1-5', '*/15 8-18 * * 1-5', undefined],
    ['0 0 1,15 * MON', '0 0 1,15 * MON', undefined],
    ['0 0 L * *', '0 0 L * *', undefined],
    ['0 0 29 2 *', '0 0 29 2 *', undefined],
    ['0 6 * * * UTC', '0 6 * * *', 'UTC'],
    ['0 6 * * * GMT', '0 6 * * *', 'GMT'],
    ['0 6 * * * Europe/Berlin', '0 6 * * *', 'Europe/Berlin'],
    ['0 6 * * *   Europe/Berlin', '0 6 * * *', 'Europe/Berlin'],
    ['0 6 * * * America/Argentina/Buenos_Aires', '0 6 * * *', 'America/Argentina/Buenos_Aires'],
    ['0 6 * * * America/Port-au-Prince', '0 6 * * *', 'America/Port-au-Prince'],
    ['0 6 * * * Etc/GMT+1', '0 6 * * *', 'Etc/GMT+1'],
  ]
  for (const [text, cron, zone] of GOOD)
    test(`good: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseCron(text), { cron, ...(zone === undefined ? {} : { zone }) })
    })

  const BAD: [text: string, why: RegExp][] = [
    ['', /five fields/],
    ['sometimes', /five fields/],
    ['@daily', /five fields/],
    ['0 6 * *', /five fields/],
    ['0 6 * * Europe/Berlin', /has an invalid field/],
    ['0 0 6 * * *', /five fields/],
    ['* * * * * *', /five fields/],
    ['0 0 6 * * 1', /five fields/],
    ['0 0 6 * * MON', /“MON”, which is not a known time zone/],
    ['0 0 6 * * * Europe/Berlin', /five fields/],
    ['0 6 * * * Europe/Berlin UTC', /five fields/],
    ['0 6 * * * Europe / Berlin', /five fields/],
    ['0 6 * * * Europe/Nowhere', /“Europe\/Nowhere”, which is not a known time zone/],
    ['0 6 * * * Mars', /“Mars”, which is not a known time zone/],
    ['0 6 * * * +01:00', /five fields/],
    ['0 6 * * * /etc/passwd', /five fields/],
    ['0 6 * * * Etc/GMT+99', /not a known time zone/],
    ['61 6 * * *', /has an invalid field/],
    ['0 24 * * *', /has an invalid field/],
    ['0 6 * * 8', /has an invalid field/],
    ['*/0 * * * *', /has an invalid field/],
    ['30-10 * * * *', /has an invalid field/],
    ['a b c d e', /has an invalid field/],
    ['2027-01-01T00:00:00Z * * * *', /has an invalid field/],
    ['0 0 31 2 *', /does not exist/],
    ['0 0 30 2 * Europe/Berlin', /does not exist/],
    [`${'1,'.repeat(MAX_CRON)}1 * * * *`, /at most 200 characters/],
    [`${' '.repeat(1_000_000)}0 6 * * *`, /at most 200 characters/],
    [`0 6 * * * ${'A'.repeat(1_000_000)}`, /at most 200 characters/],
  ]
  for (const [text, why] of BAD)
    test(`bad: ${JSON.stringify(text.slice(0, 40))}`, () => {
      const read = parseCron(text)
      assert.ok('fault' in read)
      assert.match(read.fault, /^not a cron expression such as “0 6 \* \* \* Europe\/Berlin”: it /)
      assert.match(read.fault, why)
    })

  test('P15 a time that the clock skips runs when the clock jumps, and one that comes twice runs once', () => {
    assert.deepEqual(runsAfter('30 2 * * * Europe/Berlin', '2027-03-27T12:00:00Z', 2), [
      '2027-03-28T01:00:00Z',
      '2027-03-29T00:30:00Z',
    ])
    assert.deepEqual(runsAfter('30 2 * * * Europe/Berlin', '2027-10-30T12:00:00Z', 2), [
      '2027-10-31T00:30:00Z',
      '2027-11-01T01:30:00Z',
    ])
    assert.deepEqual(runsAfter('30 2 * * * America/New_York', '2027-03-13T12:00:00Z', 2), [
      '2027-03-14T07:00:00Z',
      '2027-03-15T06:30:00Z',
    ])
  })

  test('the next run is after the moment, in the zone that is named', () => {
    for (const [text, next] of [
      ['0 6 * * *', '2027-01-11T06:00:00Z'],
      ['0 6 * * * UTC', '2027-01-11T06:00:00Z'],
      ['0 6 * * * Europe/Berlin', '2027-01-11T05:00:00Z'],
      ['0 6 * * * America/Argentina/Buenos_Aires', '2027-01-11T09:00:00Z'],
      // The sign of these zones is the other way round: an hour behind UTC.
      ['0 6 * * * Etc/GMT+1', '2027-01-11T07:00:00Z'],
      ['0 6 * * * Asia/Kathmandu', '2027-01-11T00:15:00Z'],
      ['0 0 29 2 *', '2028-02-29T00:00:00Z'],
    ] as const)
      assert.deepEqual(runsAfter(text, '2027-01-10T12:00:00Z'), [next], text)
    assert.deepEqual(runsAfter('0 12 * * *', '2027-01-10T12:00:00Z'), ['2027-01-11T12:00:00Z'])
  })

  test('a time zone is one that this machine knows', () => {
    assert.ok(isTimeZone('Europe/Berlin') && isTimeZone('UTC'))
    assert.ok(!isTimeZone('Europe/Nowhere') && !isTimeZone(''))
  })
})
