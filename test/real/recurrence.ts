import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The system's Python: Debian's packages are not in any other. */
const PYTHON = '/usr/bin/python3'
const PROGRAM = fileURLToPath(new URL('recurrence_oracle.py', import.meta.url))

/** Why the independent implementation cannot run here; false if it can. */
export function recurrenceMissing(): string | false {
  return spawnSync(PYTHON, ['-c', 'import dateutil, icalendar']).status === 0
    ? false
    : 'there are no Debian packages python3-dateutil and python3-icalendar'
}

/** A repeated event, with its occurrences as dateutil and icalendar see them. */
export interface GeneratedSeries {
  ical: string
  /** Their times by the rule, begins, ends, and whether they were changed. */
  occurrences: [id: string, starts: number, ends: number, isChanged: boolean][]
}

export async function* generatedSeries(
  seed: number,
  count: number,
  horizon: { from: number; to: number },
): AsyncGenerator<GeneratedSeries> {
  const child = spawn(PYTHON, [PROGRAM, ...[seed, count, horizon.from, horizon.to].map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  try {
    for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as GeneratedSeries
    if ((await ended) !== 0) throw new Error('the program that generates repeated events failed')
  } finally {
    child.kill()
  }
}
