import '../src/platform/tune-heap.ts'
import { benchAuthorize } from './authorize.ts'
import { benchCapacity } from './capacity.ts'
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
  capacity: benchCapacity,
}
/** Takes a quarter of an hour, so it runs only when it is named. */
const ON_DEMAND = new Set(['capacity'])

const chosen = process.argv.slice(2).filter((name) => !name.startsWith('--'))
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
