import '../src/platform/tune-heap.ts'
import { parseArgs } from 'node:util'
import { benchAuthorize } from './authorize.ts'
import { benchCapacity } from './capacity.ts'
import { compareWith } from './compare/against.ts'
import { checkBounds } from './compare/bounded.ts'
import { benchCatalogue } from './compare/entries.ts'
import { COMPARED, SHORT, type Sizes } from './compare/operations.ts'
import { benchHostile } from './hostile.ts'
import { benchHttp } from './http.ts'
import { benchIdle } from './idle.ts'
import { benchProxy } from './proxy.ts'
import { benchPush } from './push.ts'
import { benchRead } from './read.ts'
import { benchSync } from './sync.ts'

// Every figure is a ratio within one run, which depends less on the machine than requests per second.
const BENCHES: Record<string, () => Promise<void>> = {
  http: benchHttp,
  authorize: benchAuthorize,
  read: benchRead,
  sync: benchSync,
  proxy: benchProxy,
  push: benchPush,
  hostile: benchHostile,
  idle: benchIdle,
  catalogue: benchCatalogue,
  capacity: benchCapacity,
}
/** Takes a quarter of an hour, so it runs only when it is named. */
const ON_DEMAND = new Set(['capacity'])

const { values, positionals: chosen } = parseArgs({
  options: { against: { type: 'string' }, bounds: { type: 'boolean' }, rounds: { type: 'string' } },
  allowPositionals: true,
  // `--million` belongs to one of the benchmarks.
  strict: false,
})

if (values['against'] !== undefined || values['bounds'] === true) await compare()
else await runBenches()

/** The short form, with the same operations for both. */
async function compare(): Promise<void> {
  const sized = (sizes: Sizes) => ({ ...sizes, rounds: Number(values['rounds'] ?? sizes.rounds) })
  try {
    if (typeof values['against'] === 'string') {
      for (const line of await compareWith(values['against'], chosen, sized(COMPARED)))
        process.stdout.write(`${line}\n`)
      return
    }
    const checked = await checkBounds(chosen, sized(SHORT))
    for (const { line } of checked) process.stdout.write(`${line}\n`)
    if (!checked.every(({ isKept }) => isKept)) process.exitCode = 1
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 2
  }
}

async function runBenches(): Promise<void> {
  const unknown = chosen.filter((name) => !(name in BENCHES))
  if (unknown.length > 0) {
    process.stderr.write(
      `Unknown benchmark: ${unknown.join(', ')}. Known benchmarks: ${Object.keys(BENCHES).join(', ')}\n`,
    )
    process.exit(2)
  }
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (chosen.length === 0 ? ON_DEMAND.has(name) : !chosen.includes(name)) continue
    process.stdout.write(`\n== ${name}\n`)
    await bench()
  }
}
