import { spawn } from 'node:child_process'
import { runCli } from '#cli/run.ts'
import { prepareCommands } from '../../src/boot/prepare-commands.ts'
import { childEnv } from './child-env.ts'
import { PROGRAM } from './program.ts'

const version = '0.0.0-test'
const never = new Promise<never>(() => {})

/** The result of a finished command. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/**
 * Runs `tributary …` in this process, with these settings and no others: a process of its own would take most of a
 * second to start.
 */
export async function tributary(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const ended = { stdout: '', stderr: '' }
  const stdout = (text: string) => {
    ended.stdout += text
  }
  const stderr = (text: string) => {
    ended.stderr += text
  }
  const prepare = prepareCommands({
    version,
    program: 'tributary',
    env,
    isInteractive: false,
    writeLog: stderr,
    signalled: never,
  })
  const code = await runCli({ version, terminal: { stdout, stderr, fancy: false }, prepare }, args)
  return { code, ...ended }
}

/** Runs `tributary …` as a child process, where the process itself is tested, and waits until it ends. */
export async function tributaryProcess(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
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
