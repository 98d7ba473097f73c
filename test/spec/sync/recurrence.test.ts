import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { occurrencesIn } from '#connectors/dav/caldav/occurrences.ts'
import { cases, seedOf } from '../../harness/effort.ts'
import { generatedSeries, recurrenceMissing } from '../../real/recurrence.ts'

const HORIZON = { from: Date.UTC(2025, 10, 18), to: Date.UTC(2027, 10, 20), now: Date.UTC(2026, 10, 19, 12) }

suite('repeated events, compared with dateutil', { skip: recurrenceMissing() }, () => {
  test('rules, zones, added, excluded, moved and cancelled occurrences', async () => {
    const seed = seedOf('RECURRENCE_SEED')
    const count = cases(500, 'RECURRENCE_CASES')
    let [compared, occurrences] = [0, 0]
    for await (const { ical, occurrences: expected } of generatedSeries(seed, count, HORIZON)) {
      const found = occurrencesIn({ id: 'one', ical }, HORIZON).map(({ recurrence_id: id, event }) => [
        id,
        event?.starts,
        event?.ends,
        event?.title?.startsWith('Moved') === true,
      ])
      const byId = (a: unknown[], b: unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1)
      assert.deepEqual(found.toSorted(byId), expected.toSorted(byId), `seed ${seed}\n${ical}`)
      compared += 1
      occurrences += found.length
    }
    assert.equal(compared, count)
    assert.ok(occurrences > count * 5, `${occurrences} occurrences`)
  })
})
