/** A component of a file: from its `BEGIN` line to its `END` line. */
export interface Block {
  /** In upper case: `VEVENT`, `VTIMEZONE`, `VCARD`. */
  name: string
  /** Its lines, joined by CRLF, without properties that are too long. */
  text: string
  uid: string | undefined
  recurrenceId: string | undefined
  /** The zones that it names, or for a zone its own name. */
  zones: string[]
  /** Of a vCard: name and addresses, in the order of the lines, by the first of each kind. */
  names: Partial<Record<'FN' | 'N' | 'EMAIL' | 'TEL', string>>
}

/** Limit: characters of one property of an uploaded file, such as a picture inside a vCard; a longer property is left out. */
const MAX_PROPERTY_CHARS = 64 * 1024
/** Limit: characters of one event or contact of an uploaded file; a larger one is left out and counted. */
const MAX_BLOCK_CHARS = 256 * 1024
/** Limit: time zones that one event of an uploaded file may name; further ones are ignored. */
const MAX_ZONES = 20

/** Whether a text begins like iCalendar data or a vCard. */
export function isContentText(text: string): boolean {
  return /^\s{0,100}BEGIN:V(?:CALENDAR|CARD)\s/i.test(text.slice(0, 200))
}

interface OpenBlock extends Block {
  /** How deep it is nested: its end is the end at this depth. */
  depth: number
  lines: string[]
  chars: number
  isTooLarge: boolean
}

/** Properties that are read in one step. */
const STEP = 1000

/**
 * Finds vCards, and the events and zones of calendars, in one pass over the lines. `contentLines` reads one object; a file has
 * thousands. Yields undefined after each step. Returns how many were too large or cut off.
 */
export function* eachBlock(text: string): Generator<Block | undefined, number> {
  let depth = 0
  let skipped = 0
  let count = 0
  let outer = ''
  let open: OpenBlock | undefined
  for (const property of properties(text)) {
    count += 1
    if (count % STEP === 0) yield undefined
    const [, marker, name] = /^(BEGIN|END):([A-Z-]{1,40})\s*$/i.exec(property.slice(0, 60)) ?? []
    if (open !== undefined) addProperty(open, property)
    if (marker === undefined || name === undefined) continue
    if (marker.toUpperCase() === 'BEGIN') {
      depth += 1
      if (depth === 1) outer = name.toUpperCase()
      const isWanted = depth === (outer === 'VCALENDAR' ? 2 : 1) && (outer === 'VCALENDAR' || outer === 'VCARD')
      if (open === undefined && isWanted) open = openBlock(name.toUpperCase(), depth, property)
      continue
    }
    if (open?.depth === depth) {
      if (open.isTooLarge) skipped += 1
      else yield closed(open)
      open = undefined
    }
    depth = Math.max(0, depth - 1)
  }
  // A block without its end was cut off.
  return skipped + (open === undefined ? 0 : 1)
}

/** Properties with the lines that continue them, as written. Each character is looked at once. */
function* properties(text: string): Generator<string> {
  let start = 0
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const next = newline < 0 ? text.length : newline + 1
    const isContinued = text[next] === ' ' || text[next] === '\t'
    if (!isContinued || next === text.length) {
      const last = newline < 0 ? text.length : newline
      yield text.slice(start, text[last - 1] === '\r' ? last - 1 : last)
      start = next
    }
    at = next
  }
}

function openBlock(name: string, depth: number, line: string): OpenBlock {
  const found = { uid: undefined, recurrenceId: undefined, zones: [], names: {} }
  return { name, text: '', ...found, depth, lines: [line], chars: line.length, isTooLarge: false }
}

function addProperty(block: OpenBlock, property: string): void {
  if (property.length > MAX_PROPERTY_CHARS || block.isTooLarge) return
  block.chars += property.length + 2
  if (block.chars > MAX_BLOCK_CHARS) {
    block.isTooLarge = true
    block.lines = []
    return
  }
  block.lines.push(property)
  const head = property.slice(0, 400)
  if (/^UID[;:]/i.test(head)) block.uid ??= valueOf(property)
  else if (/^RECURRENCE-ID[;:]/i.test(head)) block.recurrenceId ??= valueOf(property)
  else if (block.name === 'VTIMEZONE' && /^TZID[;:]/i.test(head)) block.zones = [valueOf(property)]
  else if (block.name === 'VCARD') addName(block, head)
  else if (block.name !== 'VTIMEZONE') addZone(block, head)
}

function addName(block: OpenBlock, head: string): void {
  const [, name] = /^(?:[\w-]{1,40}\.)?(FN|N|EMAIL|TEL)[;:]/i.exec(head) ?? []
  if (name !== undefined) block.names[name.toUpperCase() as keyof Block['names']] ??= valueOf(head)
}

function addZone(block: OpenBlock, head: string): void {
  const [, zone] = /^[A-Z-]{1,40};TZID="?([^":;]{1,100})/i.exec(head) ?? []
  if (zone !== undefined && block.zones.length < MAX_ZONES && !block.zones.includes(zone)) block.zones.push(zone)
}

/** After the first colon: these properties have no quoted parameters. Unfolded. */
function valueOf(property: string): string {
  const unfolded = property.replaceAll(/\r?\n[ \t]/g, '')
  return unfolded.slice(unfolded.indexOf(':') + 1).trim()
}

function closed({ name, lines, uid, recurrenceId, zones, names }: OpenBlock): Block {
  return { name, text: `${lines.join('\r\n')}\r\n`, uid, recurrenceId, zones, names }
}
