import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { durationMs } from '#kit/ical/event-time.ts'
import { readEvent } from './event.ts'

const calendar = (...lines: string[]) => ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']

suite('iCalendar', () => {
  test('the event of a rule, not the occurrence that differs; alarms are not part of it', () => {
    const read = readEvent(
      calendar(
        ...event('SUMMARY:Moved', 'RECURRENCE-ID:20260102T100000Z', 'DTSTART:20260103T100000Z'),
        ...event(
          'SUMMARY:Weekly',
          'DTSTART:20260101T100000Z',
          'RRULE:FREQ=WEEKLY',
          'BEGIN:VALARM',
          'SUMMARY:x',
          'END:VALARM',
        ),
      ),
    )
    assert.deepEqual(
      [read?.title, read?.rrule, read?.exceptions, read?.ends],
      ['Weekly', 'FREQ=WEEKLY', 1, Date.UTC(2026, 0, 1, 10)],
    )
  })

  test('a zone of the object itself, one of Windows, one with a path, and an unknown one', () => {
    const startOf = (name: string, ...zone: string[]) =>
      readEvent(calendar(...zone, ...event(`DTSTART;TZID=${name}:20260701T120000`)))?.starts
    const own = [
      'BEGIN:VTIMEZONE',
      'TZID:Mine',
      'X-LIC-LOCATION:Europe/Berlin',
      'BEGIN:STANDARD',
      'END:STANDARD',
      'END:VTIMEZONE',
    ]
    const noon = Date.UTC(2026, 6, 1, 12)
    assert.equal(startOf('Mine', ...own), noon - 2 * 3_600_000)
    assert.equal(startOf('W. Europe Standard Time'), noon - 2 * 3_600_000)
    assert.equal(startOf('/citadel.org/20260101_1/America/New_York'), noon + 4 * 3_600_000)
    assert.equal(startOf('Nowhere'), noon)
  })

  test('days, durations, tasks and nonsense', () => {
    const day = readEvent(calendar(...event('DTSTART;VALUE=DATE:20260501')))
    assert.deepEqual([day?.starts, day?.ends, day?.all_day], [Date.UTC(2026, 4, 1), Date.UTC(2026, 4, 2), true])
    assert.equal(durationMs('P1DT2H30M'), (26 * 60 + 30) * 60_000)
    assert.equal(durationMs('-PT15M'), -15 * 60_000)
    assert.equal(durationMs('1 hour'), undefined)
    assert.equal(readEvent(calendar('BEGIN:VTODO', 'SUMMARY:x', 'END:VTODO')), undefined)
    assert.equal(readEvent('nothing'), undefined)
    const odd = readEvent(calendar(...event('DTSTART:soon', 'GEO:1000;x', 'ATTENDEE:urn:uuid:1')))
    assert.deepEqual([odd?.starts, odd?.geo, odd?.attendees], [undefined, undefined, [{}]])
  })
})
