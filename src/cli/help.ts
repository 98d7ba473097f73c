import { type Command, EXIT, type Option } from './command.ts'
import { table } from './output.ts'
import { COMMON } from './parse.ts'

export function helpForAll(commands: Command[], version: string): string[] {
  return [
    `tributary ${version}: one service between your app and the services that its users use.`,
    '',
    'Usage: tributary COMMAND [OPTIONS]',
    '',
    ...table(commands.map((command) => [`  ${withArguments(command)}`, command.summary])),
    '',
    'tributary COMMAND --help lists the options. Every command accepts --json.',
    `Exit codes: ${EXIT.ok} success, ${EXIT.failed} failed, ${EXIT.usage} wrong usage, ${EXIT.setup} wrong set-up, ${EXIT.refused} refused or not found, ${EXIT.interrupted} interrupted.`,
  ]
}

export function helpFor(command: Command): string[] {
  const options = { ...command.options, ...COMMON }
  return [
    command.summary,
    '',
    `Usage: ${usage(command)}`,
    '',
    ...table(Object.entries(options).map(([name, option]) => [`  ${formatOption(name, option)}`, describe(option)])),
  ]
}

export function usage(command: Command): string {
  const required = Object.entries(command.options ?? {}).filter(([, { required }]) => required)
  return [
    'tributary',
    withArguments(command),
    ...required.map(([name, option]) => formatOption(name, option)),
    '[OPTIONS]',
  ].join(' ')
}

/** A command with its positional arguments, as it is typed. */
export function withArguments({ name, args = [], optionalArg }: Command): string {
  return [name, ...args, ...(optionalArg === undefined ? [] : [`[${optionalArg}]`])].join(' ')
}

function formatOption(name: string, { value, short }: Option): string {
  return `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`
}

function describe({ meaning, multiple, env }: Option): string {
  return [meaning, multiple && '(may be repeated)', env && `[${env}]`].filter(Boolean).join(' ')
}
