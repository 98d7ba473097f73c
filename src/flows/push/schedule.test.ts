import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checkSchedule, nextDue, quietUntil } from './schedule.ts'

const at = (text: string) => Date.parse(text)
const shown = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

suite('schedules', () => {
  test('P15 cron follows the zone over both clock changes', () => {
    const daily = '30 2 * * * Europe/Berlin'
    // Summer time begins on 2027-03-28: 02:30 does not exist that night, and the run is due when the clock jumps.
    const jump = nextDue(daily, at('2027-03-27T12:00:00Z'))!
    assert.equal(shown(jump), '2027-03-28T01:00:00.000Z')
    assert.equal(shown(nextDue(daily, jump)), '2027-03-29T00:30:00.000Z')
    // It ends on 2027-10-31: 02:30 occurs twice, and only the first is a run.
    const first = nextDue(daily, at('2027-10-30T12:00:00Z'))!
    assert.equal(shown(first), '2027-10-31T00:30:00.000Z')
    assert.equal(shown(nextDue(daily, first)), '2027-11-01T01:30:00.000Z')
  })

  test('intervals that are too short or too long are refused, and so are overlong expressions', () => {
    assert.equal(checkSchedule('every 366d'), 'every 366d')
    for (const schedule of [
      'every 367d',
      'every 9999999999999d',
      `every ${'9'.repeat(400)}d`,
      'every 9s',
      `${'1,'.repeat(100_000)}1 * * * *`,
    ])
      assert.throws(() => checkSchedule(schedule), { reason: 'bad_body' }, schedule.slice(0, 40))
  })

  test('a refused schedule says what is wrong with it as a cron expression', () => {
    for (const [schedule, why] of [
      ['0 0 6 * * *', 'must have five fields and may have a time zone'],
      ['0 6 * * * Europe/Nowhere', 'names “Europe/Nowhere”, which is not a known time zone'],
      ['61 6 * * *', 'has an invalid field'],
    ] as const)
      assert.throws(() => checkSchedule(schedule), {
        message: `schedule: “${schedule}” is not on_change, not manual, not “every 15m” (10s to 366d), and not a cron expression such as “0 6 * * * Europe/Berlin”: it ${why}.`,
      })
  })

  test('P15 cron finds the next leap day', () => {
    assert.equal(shown(nextDue('0 0 29 2 *', at('2027-01-01T00:00:00Z'))), '2028-02-29T00:00:00.000Z')
  })

  test('P15 intervals have jitter, so that destinations do not run all at once', () => {
    const due = Array.from({ length: 10_000 }, () => nextDue('every 10m', 0)!)
    assert.ok(due.every((ms) => ms >= 570_000 && ms <= 630_000))
    assert.ok(new Set(due).size > 5000)
    // No second of the span has more than a few times its share.
    const seconds = Map.groupBy(due, (ms) => Math.floor(ms / 1000))
    assert.ok([...seconds.values()].every((each) => each.length < 400))
  })

  test('on_change and manual are never due by time', () => {
    for (const schedule of ['on_change', 'manual']) {
      assert.equal(checkSchedule(schedule), schedule)
      assert.equal(nextDue(schedule, 0), undefined)
    }
  })

  test('quiet hours end at their time, across midnight and in their time zone', () => {
    const nights = { from: '22:00', to: '06:30', zone: 'America/New_York' }
    assert.equal(quietUntil(nights, at('2027-01-10T02:59:00Z')), undefined)
    assert.equal(shown(quietUntil(nights, at('2027-01-10T03:00:00Z'))), '2027-01-10T11:30:00.000Z')
    assert.equal(shown(quietUntil(nights, at('2027-01-10T11:29:00Z'))), '2027-01-10T11:30:00.000Z')
    assert.equal(quietUntil(nights, at('2027-01-10T11:30:00Z')), undefined)
    const noon = { from: '12:00', to: '13:00' }
    assert.equal(shown(quietUntil(noon, at('2027-01-10T12:10:00Z'))), '2027-01-10T13:00:00.000Z')
    assert.equal(quietUntil(noon, at('2027-01-10T13:00:00Z')), undefined)
    assert.equal(quietUntil(undefined, 0), undefined)
  })
})
