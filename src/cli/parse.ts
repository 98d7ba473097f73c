import { parseArgs } from 'node:util'
import { reasonOf } from '#platform/errors.ts'
import { type Command, type Flags, type Option, UsageError } from './command.ts'

/** Options of every command. */
export const COMMON: Record<string, Option> = {
  data: { type: 'string', value: 'DIR', meaning: 'the data folder', env: 'TRIBUTARY_DATA' },
  json: { type: 'boolean', meaning: 'print one JSON document' },
  help: { type: 'boolean', short: 'h', meaning: 'show this help' },
}

export interface Parsed {
  args: string[]
  optionalArg: string | undefined
  flags: Flags
  /** Settings given as flags. */
  overrides: Record<string, string>
}

/** Finds the command with the longest name that the arguments start with, and the arguments that follow. */
export function findCommand(commands: Command[], argv: string[]): { command: Command; rest: string[] } | undefined {
  const match = commands
    .filter(({ name }) => name.split(' ').every((word, i) => argv[i] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]
  return match && { command: match, rest: argv.slice(match.name.split(' ').length) }
}

export function parseCommand(command: Command, argv: string[]): Parsed {
  const options = { ...command.options, ...COMMON }
  const { values, positionals } = parse(options, argv)
  const names = command.args ?? []
  if (!values.help && positionals.length < names.length)
    throw new UsageError(`${names[positionals.length]} is missing.`)
  const most = names.length + (command.optionalArg === undefined ? 0 : 1)
  if (positionals.length > most) throw new UsageError(`Unexpected argument “${positionals[most]}”.`)
  for (const [name, option] of Object.entries(options)) {
    if (option.required && values[name] === undefined && !values.help) throw new UsageError(`--${name} is missing.`)
  }
  return {
    args: positionals,
    optionalArg: positionals[names.length],
    flags: flagsFrom(values),
    overrides: overridesFrom(options, values),
  }
}

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

function parse(options: Record<string, Option>, argv: string[]): { values: Values; positionals: string[] } {
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
    ]),
  )
  try {
    return parseArgs({ args: argv, options: known, allowPositionals: true, strict: true })
  } catch (error) {
    const [sentence = ''] = reasonOf(error).split('. ')
    throw new UsageError(sentence.replace(/\.?$/, '.'), { cause: error })
  }
}

function flagsFrom(values: Values): Flags {
  const texts = (name: string) => [values[name] ?? []].flat().filter((value) => typeof value === 'string')
  const text = (name: string) => texts(name)[0]
  const required = (name: string) => {
    const given = text(name)
    if (given === undefined) throw new UsageError(`--${name} is missing.`)
    return given
  }
  return { texts, text, required, on: (name) => values[name] === true }
}

function overridesFrom(options: Record<string, Option>, values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, { env }]) => {
      const value = values[name]
      return env !== undefined && typeof value === 'string' ? [[env, value]] : []
    }),
  )
}
