import { ApiError } from '#model/errors.ts'
import { SetupError } from '#platform/errors.ts'
import { escapeForTerminal } from '#platform/formats/escape-controls.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import { type Command, type Context, EXIT, InterruptedError, UsageError } from './command.ts'
import { COMMANDS } from './commands.ts'
import { helpFor, helpForAll, usage } from './help.ts'
import { createOutput } from './output.ts'
import { findCommand, type Parsed, parseCommand } from './parse.ts'

export interface Terminal {
  stdout: (text: string) => void
  stderr: (text: string) => void
  fancy: boolean
}

export interface RunDeps {
  terminal: Terminal
  version: string
  /** Creates the part of the context that depends on settings given as flags. */
  prepare: (
    overrides: Record<string, string>,
    output: { json: boolean },
  ) => Omit<Context, 'args' | 'optionalArg' | 'flags' | 'out'>
}

/** Runs a command line and returns the exit code. */
export async function runCli({ terminal, version, prepare }: RunDeps, argv: string[]): Promise<number> {
  const wantsJson = argv.includes('--json')
  const out = createOutput({ json: wantsJson, ...terminal })
  const printLines = (lines: string[]) => terminal.stdout(`${lines.join('\n')}\n`)
  const [first = 'help'] = argv
  if (['help', '--help', '-h'].includes(first)) {
    printLines(helpForAll(COMMANDS, version))
    return EXIT.ok
  }
  if (['version', '--version', '-v'].includes(first)) {
    out.result({ version }, () => [version])
    return EXIT.ok
  }
  const found = findCommand(COMMANDS, argv)
  try {
    if (found === undefined) throw new UsageError(unknownCommand(argv))
    const parsed = parseCommand(found.command, found.rest)
    if (parsed.flags.on('help')) {
      printLines(helpFor(found.command))
      return EXIT.ok
    }
    return (await run(found.command, parsed)) ?? EXIT.ok
  } catch (error) {
    return printError(error, found?.command)
  }

  async function run(command: Command, { args, optionalArg, flags, overrides }: Parsed): Promise<number | void> {
    return command.run({ args, optionalArg, flags, out, ...prepare(overrides, { json: wantsJson }) })
  }

  function printError(error: unknown, command: Command | undefined): number {
    const { code, document, lines } = explain(error, command)
    if (wantsJson) terminal.stdout(`${JSON.stringify(document, null, 2)}\n`)
    else terminal.stderr(`${escapeForTerminal(lines.join('\n'))}\n`)
    return code
  }
}

function unknownCommand(argv: string[]): string {
  const [first = ''] = argv
  const similar = COMMANDS.map(({ name }) => name).filter((name) => name.split(' ')[0] === first)
  return similar.length > 0
    ? `Unknown command “${argv.slice(0, 2).join(' ')}”. Similar commands: ${similar.join(', ')}.`
    : `Unknown command “${first}”.`
}

function explain(error: unknown, command: Command | undefined): { code: number; document: object; lines: string[] } {
  if (error instanceof UsageError) {
    const help = command === undefined ? 'tributary --help lists the commands.' : `Usage: ${usage(command)}`
    return { code: EXIT.usage, document: { error: error.message, reason: 'usage', help }, lines: [error.message, help] }
  }
  if (error instanceof SetupError) {
    return {
      code: EXIT.setup,
      document: { error: error.message, reason: error.code, help: error.help },
      lines: [error.message, error.help],
    }
  }
  if (error instanceof ApiError) {
    return { code: EXIT.refused, document: { error: error.message, reason: error.reason }, lines: [error.message] }
  }
  if (error instanceof InterruptedError) {
    return { code: EXIT.interrupted, document: { error: error.message, reason: 'interrupted' }, lines: [error.message] }
  }
  const text = redactText(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return { code: EXIT.failed, document: { error: text, reason: 'internal' }, lines: [text] }
}
