import { createHash } from 'node:crypto'
import { type FileReader, type FileRecord, TooManyRecords } from '#kit/auth/file.ts'
import { readEvent } from '../caldav/event.ts'
import { readContact } from '../carddav/contact.ts'
import { type Block, eachBlock, isContentText } from './blocks.ts'

/** Limit: characters of an id in an uploaded file that are stored as they are; a longer id is hashed. */
const MAX_ID_CHARS = 200
/** Limit: occurrences of a repeated event in an uploaded file that differ from its rule; further ones are left out. */
const MAX_OCCURRENCES = 1000

interface FileEvent {
  /** The event and the occurrences that differ from its rule, by their time. */
  blocks: Map<string, Block>
  zones: Map<string, Block>
}

/** Collects the events and contacts of iCalendar and vCard texts. A calendar or address book may be split over several files. */
export function createReader(maxRecords: number): FileReader {
  const events = new Map<string, FileEvent>()
  /** Texts of vCards. What they say is read at the end: it takes more memory. */
  const contacts = new Map<string, string>()
  let skipped = 0
  const count = () => {
    if (events.size + contacts.size > maxRecords) throw new TooManyRecords()
  }
  const addEvent = (block: Block, zones: ReadonlyMap<string, Block>) => {
    const id = block.uid === undefined || block.uid === '' ? hashOf(block.text) : shortId(block.uid)
    const event = events.get(id) ?? { blocks: new Map<string, Block>(), zones: new Map<string, Block>() }
    const occurrence = block.recurrenceId ?? ''
    if (event.blocks.size < MAX_OCCURRENCES && !event.blocks.has(occurrence)) {
      event.blocks.set(occurrence, block)
      for (const name of block.zones) {
        const zone = zones.get(name)
        if (zone !== undefined) event.zones.set(name, zone)
      }
    }
    events.set(id, event)
    count()
  }
  const addContact = (block: Block) => {
    const id = idOfContact(block, contacts)
    if (id !== undefined) contacts.set(id, block.text)
    count()
  }
  return {
    add: function* (text) {
      if (!isContentText(text)) return false
      const zones = new Map<string, Block>()
      const found: Block[] = []
      const blocks = eachBlock(text)
      for (let next = blocks.next(); ; next = blocks.next()) {
        if (next.done === true) {
          skipped += next.value
          break
        }
        const block = next.value
        if (block === undefined) yield undefined
        else if (block.name === 'VCARD') addContact(block)
        else if (block.name === 'VTIMEZONE') for (const name of block.zones) zones.set(name, block)
        else if (block.name === 'VEVENT') found.push(block)
        if (found.length > maxRecords * 2) throw new TooManyRecords()
      }
      // A zone may follow the events that name it.
      for (const block of found) addEvent(block, zones)
      return true
    },
    records: function* (): Generator<FileRecord> {
      for (const [id, { blocks, zones }] of events) {
        const ical = calendarOf([...zones.values(), ...blocks.values()])
        yield { endpoint: 'events', record: { id, ical, event: readEvent(ical) } }
      }
      for (const [id, vcard] of contacts)
        yield { endpoint: 'contacts', record: { id, vcard, contact: readContact(vcard) } }
    },
    skipped: () => skipped,
  }
}

/** One calendar object for one event, as a CalDAV server has it. */
function calendarOf(blocks: Block[]): string {
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${blocks.map(({ text }) => text).join('')}END:VCALENDAR\r\n`
}

/**
 * Most exports have no UID. Then name and first address make the id, so that a later export of the same contact changes the item. Of
 * two contacts with equal names and addresses, the second gets a number. Undefined: the same card is known already.
 */
function idOfContact({ uid, names, text }: Block, known: ReadonlyMap<string, string>): string | undefined {
  if (uid !== undefined && uid !== '') return shortId(uid)
  const address = names.EMAIL?.toLowerCase() ?? names.TEL
  const parts = [names.FN ?? names.N, address]
  const base = hashOf(parts.every((part) => part === undefined || part === '') ? text : JSON.stringify(parts))
  for (let number = 1; number <= MAX_SAME; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`
    const other = known.get(id)
    if (other === undefined) return id
    if (other === text) return undefined
  }
  return undefined
}

/** Limit: different contacts of an uploaded file with the same name and address; further ones are left out. */
const MAX_SAME = 20

const shortId = (id: string): string => (id.length <= MAX_ID_CHARS && !id.startsWith('#') ? id : hashOf(id))

const hashOf = (text: string): string => `#${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
