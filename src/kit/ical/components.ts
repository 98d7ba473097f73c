import { type ContentLine, contentLines } from './content-lines.ts'

/** A component inside a calendar object: an event, a time zone. */
export interface CalendarComponent {
  /** In upper case: `VEVENT`. */
  name: string
  lines: ContentLine[]
  /** Components inside it: alarms, the rules of a zone. */
  parts: CalendarComponent[]
}

/** Limit: components (events, time zones) of one calendar object that are read; further ones are ignored. */
const MAX_COMPONENTS = 1000

/** The components of a calendar object, and those inside them. */
export function componentsIn(text: string): CalendarComponent[] {
  const found: CalendarComponent[] = []
  let [depth, count] = [0, 0]
  for (const line of contentLines(text)) {
    const open = depth < 2 ? undefined : found.at(-1)
    const inside = depth === 2 ? open : open?.parts.at(-1)
    if (line.name === 'BEGIN') {
      depth += 1
      if (depth !== 2 && depth !== 3) continue
      count += 1
      if (count > MAX_COMPONENTS) return found
      const into = depth === 2 ? found : open?.parts
      into?.push({ name: line.value.trim().toUpperCase(), lines: [], parts: [] })
    } else if (line.name === 'END') depth = Math.max(0, depth - 1)
    else if (depth === 2 || depth === 3) inside?.lines.push(line)
  }
  return found
}
