import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { childEnv } from './child-env.ts'

const main = join(import.meta.dirname, '../../src/main.ts')

/** The result of a finished command. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `tributary …` as a child process and waits until it ends. */
export async function tributary(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...childEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}
