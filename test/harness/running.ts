import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { childEnv } from './child-env.ts'
import { PROGRAM } from './program.ts'

/** A `tributary serve`, `work` or `demo` that runs as a child process. */
export interface RunningProcess {
  child: ChildProcess
  /** The JSON document that it printed when it was ready. */
  document: Record<string, string>
  /** Sends the signal and waits until the process has ended. */
  end: (signal: NodeJS.Signals) => Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** Everything printed so far. */
  output: () => { stdout: string; stderr: string }
}

/** Starts a command; resolves when it prints that it is ready, fails with its output when it ends before. */
export async function startProcess(
  args: string[],
  env: Record<string, string>,
  entry = PROGRAM,
  flags: string[] = [],
): Promise<RunningProcess> {
  // In a process group of its own, so that a test can kill exactly this tree.
  const child = spawn(process.execPath, [...flags, entry, ...args, '--json'], {
    env: { ...childEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const ready = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout.trimEnd().endsWith('}')) resolve()
    })
  })
  await Promise.race([
    ready,
    ended.then(([code]) => {
      throw new Error(`ended with ${code} before it was ready:\n${stdout}${stderr}`)
    }),
  ])
  return {
    child,
    document: JSON.parse(stdout) as Record<string, string>,
    output: () => ({ stdout, stderr }),
    end: async (signal) => {
      child.kill(signal)
      const [code, by] = await ended
      return { code, signal: by }
    },
  }
}
