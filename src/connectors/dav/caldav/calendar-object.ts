import { type ContentLine, contentLines } from '../content-lines.ts'

/** Components inside a calendar object: events, time zones. */
export interface CalendarComponent {
  /** In upper case: `VEVENT`. */
  name: string
  lines: ContentLine[]
}

/** Limit: components (events, time zones) of one calendar object that are read; further ones are ignored. */
const MAX_COMPONENTS = 1000

/** The components of a calendar object. Those inside them, such as alarms and rules of zones, are left out. */
export function componentsIn(text: string): CalendarComponent[] {
  const found: CalendarComponent[] = []
  let depth = 0
  for (const line of contentLines(text)) {
    if (line.name === 'BEGIN') {
      depth += 1
      if (depth === 2 && found.length < MAX_COMPONENTS) found.push({ name: line.value.trim().toUpperCase(), lines: [] })
      else if (depth === 2) return found
    } else if (line.name === 'END') depth = Math.max(0, depth - 1)
    else if (depth === 2) found.at(-1)?.lines.push(line)
  }
  return found
}
