import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copyTree } from '../mutants/copy-tree.ts'
import { MUTANTS } from '../mutants/list.ts'
import { dozenOf, type Mutant } from '../mutants/mutant.ts'
import { tryMutant, type Verdict } from '../mutants/try-mutant.ts'
import { onEmbedded } from '../runner/embedded-server.ts'
import { withTemplate } from '../runner/template-database.ts'

// Changes one line per check in a copy of the tree, and fails if the tests of the check do not.
const root = join(import.meta.dirname, '..', '..')
const DAY_MS = 86_400_000

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    dozen: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Math.floor(Date.now() / DAY_MS)) },
    jobs: { type: 'string', default: '1' },
  },
})
const waiting = chosen()
const total = waiting.length
const counts: Record<Verdict, string[]> = { killed: [], survived: [], broken: [], 'not run': [] }
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())

await onEmbedded((url) =>
  withTemplate(url, 'whole', async (template) => {
    const env = { TEST_DATABASE_URL: url, TEST_DATABASE_TEMPLATE: template }
    await Promise.all(Array.from({ length: Number(values.jobs) }, () => work(env)))
  }),
)
for (const verdict of ['survived', 'broken', 'not run'] as const)
  for (const line of counts[verdict]) process.stdout.write(`${verdict}: ${line}\n`)
const others = counts.broken.length + counts['not run'].length
process.stdout.write(
  `${counts.killed.length} killed, ${counts.survived.length} survived${others > 0 ? `, ${counts.broken.length} broken, ${counts['not run'].length} not run` : ''}${cpu()}\n`,
)
if (interrupted.signal.aborted) process.exitCode = 130
else process.exitCode = counts.survived.length + counts.broken.length > 0 ? 1 : 0

function chosen(): Mutant[] {
  if (values.only !== undefined) {
    const ids = values.only.split(',')
    const unknown = ids.filter((id) => !MUTANTS.some(({ check }) => check === id))
    if (unknown.length > 0) throw new Error(`no mutants of ${unknown.join(', ')}`)
    return MUTANTS.filter(({ check }) => ids.includes(check))
  }
  if (!values.dozen) return [...MUTANTS]
  const dozen = dozenOf(MUTANTS, Number(values.seed))
  process.stdout.write(`--seed ${values.seed}: ${dozen.map(({ check }) => check).join(',')}\n`)
  return dozen
}

/** One after another, in a copy of its own. */
async function work(env: Record<string, string>): Promise<void> {
  const folder = copyTree(root)
  try {
    const bench = { folder, env, signal: interrupted.signal, unchanged: new Map() }
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const startedMs = performance.now()
      const { verdict, why } = await tryMutant(bench, next)
      if (interrupted.signal.aborted) return
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
      const line = `${next.check} ${next.file}: ${why}`
      counts[verdict].push(line)
      const done = Object.values(counts).flat().length
      process.stdout.write(`${done}/${total} ${verdict} (${seconds} s) ${line}\n`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Of the tests: processes that were waited for, in hundredths of a second; only Linux says it. */
function cpu(): string {
  try {
    const [user, system] = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ').slice(13, 15).map(Number)
    return `, ${((user! + system!) / 100).toFixed(0)} s of CPU`
  } catch {
    // No such file on other systems.
    return ''
  }
}
