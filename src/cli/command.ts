import type { Config } from '#config/config.ts'
import type { AppsDeps } from '#flows/apps/apps.ts'
import type { KeysDeps } from '#flows/apps/keys.ts'
import type { CheckResult } from '#flows/conformance/check-connector.ts'
import type { DemoApp, DemoDeps } from '#flows/operations/demo.ts'
import type { DemoServices } from '#flows/operations/demo-services.ts'
import type { DoctorDeps } from '#flows/operations/doctor.ts'
import type { KeyringDeps } from '#flows/operations/keyring.ts'
import type { MigrateDeps } from '#flows/operations/migrations.ts'
import type { DeliverDeps } from '#flows/push/deps.ts'
import type { LoggedDeps } from '#identity/deps.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { Output } from './output.ts'

/** The store that commands use: opened and checked before a command, closed after it. */
export interface OpenStore extends AppsDeps, KeysDeps, KeyringDeps, MigrateDeps, DemoDeps {}

export type ServicesDeps = LoggedDeps & DeliverDeps

/** A running server or worker. */
export interface Running {
  /** The address it listens on; undefined for a worker without a port. */
  url: string | undefined
  store: OpenStore
  adminTokenFile: string | undefined
  demoApp: DemoApp | undefined
  /** Resolves when everything has stopped, including the embedded database. */
  stop: () => Promise<void>
}

export interface Context<Args extends readonly string[] = readonly string[]> {
  /** One for each positional argument of the command. */
  args: { [Index in keyof Args]: string }
  /** The optional argument, if it was given. */
  optionalArg: string | undefined
  flags: Flags
  out: Output
  config: () => Config
  /** Of this release. */
  version: string
  /** How a person types the command here: `npx --no-install tributary`. */
  program: string
  /** Opens the store for `work`; migrates it first unless `migrate` is false. */
  withStore: <Result>(work: (store: OpenStore) => Promise<Result>, options?: { migrate?: boolean }) => Promise<Result>
  /** The same, with the connectors and with outgoing connections to services and destinations. */
  withServices: <Result>(work: (deps: ServicesDeps) => Promise<Result>) => Promise<Result>
  /** The connectors that this process has loaded. */
  registry: () => Promise<Registry>
  start: (what: { serve: boolean; demo?: boolean }) => Promise<Running>
  /** The demo services of the `tributary demo` that runs on the data folder, if one does. */
  demoServices: () => Promise<DemoServices>
  /** Runs the conformance suite on a connector's file. */
  checkConnector: (file: string) => Promise<CheckResult[]>
  doctor: () => DoctorDeps
  /** What Tributary stored in the data folder. */
  dataOfFolder: () => { find: () => Promise<string[]>; remove: () => Promise<{ removed: string[]; kept: string[] }> }
  /** Resolves at Ctrl-C or SIGTERM. */
  untilSignal: Promise<NodeJS.Signals>
}

export interface Option {
  type: 'string' | 'boolean'
  meaning: string
  value?: string
  short?: string
  multiple?: boolean
  required?: boolean
  /** The setting that this flag overrides. */
  env?: string
}

export interface Flags {
  text(name: string): string | undefined
  /** The value of a `required` option. */
  required(name: string): string
  texts(name: string): string[]
  on(name: string): boolean
}

export interface Command<Args extends readonly string[] = readonly string[]> {
  /** As it is typed: `app create`. */
  name: string
  /** An imperative sentence for help and docs/cli.md. */
  summary: string
  /** Names of positional arguments, all required. */
  args?: Args
  /** The name of a further positional argument that may be left out. */
  optionalArg?: string
  options?: Record<string, Option>
  /** May return an exit code other than 0 without throwing, e.g. when a check failed. */
  run(context: Context<Args>): Promise<number | void>
}

/** Defines a command; the type of `run`'s `args` follows from the names of the positional arguments. */
export function command<const Args extends readonly string[] = readonly []>(definition: Command<Args>): Command {
  return definition
}

/** The command line is wrong: exit code 2, and the usage is printed. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The command was interrupted by Ctrl-C: exit code 130. */
export class InterruptedError extends Error {
  override name = 'InterruptedError'
}

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  setup: 3,
  refused: 4,
  interrupted: 130,
} as const
