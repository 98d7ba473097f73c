import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type FileReader, TooManyRecords } from '#kit/auth/file.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { files } from './connector.ts'
import { createReader } from './read-files.ts'

const added = (reader: FileReader, text: string): boolean => {
  const steps = reader.add(text)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
const read = (...texts: string[]) => {
  const reader = createReader(1000)
  const known = texts.map((text) => added(reader, text))
  return { known, records: [...reader.records()], skipped: reader.skipped() }
}
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n`
const calendar = (...inner: string[]) => lines('BEGIN:VCALENDAR', ...inner, 'END:VCALENDAR')
const event = (...inner: string[]) => ['BEGIN:VEVENT', ...inner, 'END:VEVENT']
const titles = (all: ReturnType<typeof read>['records']) =>
  all.map(({ record }) => (record['event'] as { title?: string } | undefined)?.title)

suite('calendars in files', () => {
  test('occurrences that differ belong to their event, zones to the events that name them, in any order', () => {
    const zone = ['BEGIN:VTIMEZONE', 'TZID:Mine', 'X-LIC-LOCATION:Europe/Berlin', 'END:VTIMEZONE']
    const { records } = read(
      calendar(
        ...event('UID:1', 'RECURRENCE-ID:20260102T100000Z', 'SUMMARY:Moved'),
        ...event(
          'UID:1',
          'DTSTART;TZID=Mine:20260701T120000',
          'RRULE:FREQ=DAILY',
          'SUMMARY:Daily',
          'BEGIN:VALARM',
          'UID:9',
          'END:VALARM',
        ),
        ...event('UID:2', 'DTSTART:20260101T100000Z', 'SUMMARY:Other'),
        ...zone,
      ),
    )
    assert.deepEqual(titles(records), ['Daily', 'Other'])
    const daily = records[0]!.record['event'] as { starts: number; exceptions: number }
    assert.deepEqual([daily.starts, daily.exceptions], [Date.UTC(2026, 6, 1, 10), 1])
    assert.match(String(records[0]!.record['ical']), /BEGIN:VTIMEZONE[\s\S]*BEGIN:VALARM/)
    assert.doesNotMatch(String(records[1]!.record['ical']), /VTIMEZONE|Daily/)
  })

  test('folded lines, bare line feeds, lower case, tasks, an event without an id', () => {
    const text =
      'begin:vcalendar\nBEGIN:VTODO\nUID:t\nEND:VTODO\nbegin:vevent\nUID:a\n b\nSUMMARY:Fol\n ded\nend:vevent\nBEGIN:VEVENT\nSUMMARY:Nameless\nEND:VEVENT\nend:vcalendar'
    const { records } = read(text)
    assert.deepEqual(titles(records), ['Folded', 'Nameless'])
    assert.equal(records[0]!.record.id, 'ab')
    assert.match(records[1]!.record.id, /^#[0-9a-f]{32}$/)
  })

  test('an event in two calendars is one; a long id is hashed; one that is cut off is counted', () => {
    const one = calendar(...event('UID:same', 'SUMMARY:First'))
    const { records, skipped } = read(
      one,
      calendar(...event('UID:same', 'SUMMARY:Second')),
      calendar(...event(`UID:${'x'.repeat(300)}`)),
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:cut',
    )
    assert.deepEqual(titles(records), ['First', undefined])
    assert.match(records[1]!.record.id, /^#/)
    assert.equal(skipped, 1)
  })

  test('what is not a calendar is not read', () => {
    assert.deepEqual(read('hello', '<html>', '', 'BEGIN:VNOTE\r\n').known, [false, false, false, false])
    assert.deepEqual(read('END:VCALENDAR', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\nEND:VEVENT\r\nEND:X').records, [])
    assert.throws(() => added(createReader(1), calendar(...event('UID:1'), ...event('UID:2'))), TooManyRecords)
  })
})

suite('contacts in files', () => {
  const card = (...inner: string[]) => ['BEGIN:VCARD', 'VERSION:3.0', ...inner, 'END:VCARD']
  const ids = (...all: string[][]) => read(lines(...all.flat())).records.map(({ record }) => record.id)

  test('without an id, name and address make one; copies are one, others with equal names stay apart', () => {
    const [first] = ids(card('FN:Ada', 'EMAIL:ada@x.test', 'NOTE:old'))
    assert.deepEqual(ids(card('FN:Ada', 'EMAIL:ADA@x.test', 'NOTE:new')), [first])
    assert.deepEqual(ids(card('FN:Bob'), card('FN:Bob')).length, 1)
    assert.deepEqual(ids(card('FN:Bob', 'NOTE:1'), card('FN:Bob', 'NOTE:2')).length, 2)
    assert.deepEqual(ids(card('UID:u1', 'FN:Bob'), card('UID:u1', 'FN:Robert')), ['u1'])
  })

  test('a picture inside is left out; a card that is too large is counted', () => {
    const { records, skipped } = read(
      lines(
        ...card('FN:Ada', `PHOTO;ENCODING=b:${'A'.repeat(70_000)}`, ' AAAA', 'TEL:1'),
        ...card('FN:Large', ...Array.from({ length: 300 }, () => `NOTE:${'x'.repeat(1000)}`)),
      ),
    )
    assert.equal(skipped, 1)
    assert.doesNotMatch(String(records[0]!.record['vcard']), /PHOTO|AAAA/)
    const item = itemReader(files, 'contacts', files.endpoints['contacts']!, 'me')(records[0]!.record)
    assert.deepEqual([item.types, item.nativeId], [['contacts'], records[0]!.record.id])
  })
})
