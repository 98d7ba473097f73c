import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Mutant, mutate } from './mutant.ts'
import { runTests, type TestCall, type TestRun } from './run-tests.ts'

/** For tests without a mutant: far above what any of them takes. */
const TIMEOUT_MS = 900_000
/** With a mutant that makes them hang: compared to how long they take without it, and at least. */
const TIMES_LONGER = 5
const MIN_TIMEOUT_MS = 60_000

export type Verdict = 'killed' | 'survived' | 'broken' | 'not run'

export interface Trial {
  verdict: Verdict
  why: string
}

/** One copy of the tree; `unchanged` remembers how tests end in it without a mutant. */
export interface Bench extends Pick<TestCall, 'folder' | 'env' | 'signal'> {
  unchanged: Map<string, Promise<TestRun>>
}

/** Runs the tests of a mutant without it, then with it. The file is as it was afterwards. */
export async function tryMutant(bench: Bench, mutant: Mutant): Promise<Trial> {
  const { check, tests } = mutant
  const pattern = String.raw`\b${check}\b`
  const call = { ...bench, tests, pattern, timeoutMs: TIMEOUT_MS }
  const key = [pattern, ...tests].join(' ')
  const known = bench.unchanged.get(key) ?? runTests(call)
  bench.unchanged.set(key, known)
  const before = await known
  if (before.ended !== 'passed') return { verdict: 'broken', why: `${before.ended} without it\n${before.output}` }
  if (before.passed === 0) return { verdict: 'not run', why: 'its tests are skipped on this machine' }
  const path = join(bench.folder, mutant.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, mutate(text, mutant))
  try {
    const timeoutMs = Math.max(MIN_TIMEOUT_MS, TIMES_LONGER * before.ms)
    const after = await runTests({ ...call, timeoutMs })
    if (after.ended === 'passed') return { verdict: 'survived', why: `${after.passed} tests passed` }
    return { verdict: 'killed', why: after.ended === 'failed' ? firstFailure(after.output) : after.ended }
  } finally {
    writeFileSync(path, text)
  }
}

/** Why: so that a reader sees an assertion and not, for example, a name that the mutant made unknown. */
function firstFailure(output: string): string {
  const test = /^\s*not ok \d+ - (.*)$/m.exec(output)?.[1] ?? 'no test is reported'
  const [, block, line] = /^\s*error: (?:\|-\n\s*(.*)|(.*))$/m.exec(output) ?? []
  return `${test}: ${block ?? line ?? ''}`.slice(0, 200)
}
