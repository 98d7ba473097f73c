import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { findRegexes } from './find-regexes.ts'
import { FUNCTIONS, MADE, OWN_INPUT } from './table.ts'
import { long, regexOf, search, worstInputs } from './worst-inputs.ts'

// Runs alone in a process that the kernel ends when its CPU time is used up. The last line names the input it had then.
const root = join(import.meta.dirname, '..', '..')
const print = (what: string) => writeSync(1, `${what}\n`)

if (process.argv[2] === 'expressions') {
  const fed = new Set<string>()
  for (const { file, line, text } of findRegexes(root)) {
    if (fed.has(text) || Object.hasOwn(OWN_INPUT, `${file} ${text}`) || Object.hasOwn(MADE, text)) continue
    fed.add(text)
    print(`${file}:${line} ${text}`)
    const regex = regexOf(text)
    for (const input of worstInputs(regex)) search(regex, input)
  }
} else {
  for (const [name, { run, pumps, begins = [''] }] of Object.entries(FUNCTIONS))
    for (const pump of pumps)
      for (const begin of begins) {
        print(`${name} ${JSON.stringify(begin)} and 1 MB of ${JSON.stringify(pump)}`)
        run(`${begin}${long(pump)}x`)
      }
}
print('done')
