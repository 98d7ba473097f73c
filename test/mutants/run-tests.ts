import { spawn } from 'node:child_process'

export interface TestRun {
  ended: 'passed' | 'failed' | 'timed out'
  /** Tests that ran and passed; skipped ones do not count. */
  passed: number
  output: string
  ms: number
}

export interface TestCall {
  folder: string
  tests: readonly string[]
  /** Runs those tests whose names, or whose suites' names, match. */
  pattern: string
  timeoutMs: number
  env: Record<string, string>
  signal: AbortSignal
}

/** Runs tests in a process of their own. */
export async function runTests({ folder, tests, pattern, timeoutMs, env, signal }: TestCall): Promise<TestRun> {
  const { NODE_TEST_CONTEXT: _, ...own } = process.env
  const startedMs = performance.now()
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', `--test-name-pattern=${pattern}`, ...tests], {
    cwd: folder,
    env: { ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what the tests started ends with them.
    detached: true,
  })
  const end = () => endGroup(child.pid!)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, timeoutMs)
  signal.addEventListener('abort', end)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve))
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
  end()
  const passed = Number(/^# pass (\d+)$/m.exec(output)?.[1] ?? 0)
  return {
    ended: isLate ? 'timed out' : code === 0 ? 'passed' : 'failed',
    passed,
    output,
    ms: performance.now() - startedMs,
  }
}

function endGroup(id: number): void {
  try {
    process.kill(-id, 'SIGKILL')
  } catch {
    // All of them have ended already.
  }
}
