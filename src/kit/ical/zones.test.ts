import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { componentsIn } from './components.ts'
import { zoneNamed } from './iana-zones.ts'
import { describedZone } from './vtimezone.ts'
import { WINDOWS_ZONES } from './windows-zones.ts'
import { ianaZone, toLocal, toUtc } from './zones.ts'

const utc = (name: string, localMs: number) => toUtc(ianaZone(name)!, localMs)

suite('zones', () => {
  test('a time that occurs twice is the first, one that is skipped counts with the offset before', () => {
    assert.equal(utc('Europe/Berlin', Date.UTC(2026, 9, 25, 2, 30)), Date.UTC(2026, 9, 25, 0, 30))
    assert.equal(utc('Europe/Berlin', Date.UTC(2026, 2, 29, 2, 30)), Date.UTC(2026, 2, 29, 1, 30))
    assert.equal(utc('Asia/Kolkata', Date.UTC(2026, 0, 1)), Date.UTC(2025, 11, 31, 18, 30))
    assert.equal(ianaZone('Nowhere/Else'), undefined)
  })

  test('names', () => {
    assert.equal(zoneNamed('Europe/Berlin'), 'Europe/Berlin')
    assert.equal(zoneNamed('x'.repeat(1000)), undefined)
    assert.equal(zoneNamed(''), undefined)
  })

  test('every name that Windows has', () => {
    assert.equal(WINDOWS_ZONES.size, 139)
    for (const [name, zone] of WINDOWS_ZONES) assert.notEqual(ianaZone(name), undefined, `${name}: ${zone}`)
    assert.equal(zoneNamed('Aus Central W. Standard Time'), 'Australia/Eucla')
    assert.equal(zoneNamed('Russia Time Zone 10'), 'Asia/Srednekolymsk')
  })

  test('a zone that only its description knows: rules, one that ended, single dates', () => {
    const part = (name: string, from: string, to: string, ...lines: string[]) => [
      `BEGIN:${name}`,
      `TZOFFSETFROM:${from}`,
      `TZOFFSETTO:${to}`,
      ...lines,
      `END:${name}`,
    ]
    const text = [
      'BEGIN:VCALENDAR',
      'BEGIN:VTIMEZONE',
      'TZID:Somewhere',
      ...part('DAYLIGHT', '+0100', '+0200', 'DTSTART:19800406T020000', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU'),
      ...part(
        'STANDARD',
        '+0200',
        '+0100',
        'DTSTART:19800928T030000',
        'RRULE:FREQ=YEARLY;BYMONTH=9;BYDAY=-1SU;UNTIL=19950924T010000Z',
      ),
      ...part('STANDARD', '+0200', '+0100', 'DTSTART:19961027T030000', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU'),
      ...part('STANDARD', '+0100', '+0130', 'DTSTART:20300101T000000', 'RDATE:20310101T000000'),
      'END:VTIMEZONE',
      'END:VCALENDAR',
    ].join('\r\n')
    const zone = describedZone(componentsIn(text)[0]!)!
    const berlin = ianaZone('Europe/Berlin')!
    for (let ms = Date.UTC(1997, 0); ms < Date.UTC(2029, 0); ms += 41 * 3_600_000)
      assert.equal(toLocal(zone, ms), toLocal(berlin, ms), new Date(ms).toISOString())
    assert.equal(zone.offsetAt(Date.UTC(1970, 0)), 3_600_000, 'before all of them')
    assert.equal(zone.offsetAt(Date.UTC(1990, 9, 10)), 3_600_000, 'in October, before the rule changed')
    assert.equal(zone.offsetAt(Date.UTC(2030, 1, 1)), 5_400_000)
    assert.equal(describedZone({ name: 'VTIMEZONE', lines: [], parts: [] }), undefined)
  })
})
