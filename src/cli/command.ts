import type { AppsDeps } from '#flows/apps/apps.ts'
import type { KeysDeps } from '#flows/apps/keys.ts'
import type { AuthorizeDeps } from '#flows/authorize/deps.ts'
import type { DemoDeps, DemoService } from '#flows/operations/demo.ts'
import type { DoctorDeps } from '#flows/operations/doctor.ts'
import type { KeyringDeps } from '#flows/operations/keyring.ts'
import type { MigrateDeps } from '#flows/operations/migrations.ts'
import type { DeliverDeps } from '#flows/push/deps.ts'
import type { Registry } from '#kit/registry.ts'
import type { Config } from '#platform/config.ts'
import type { Output } from './output.ts'

/** What commands work on: the store, opened and checked, and closed again when the command ends. */
export interface OpenStore extends AppsDeps, KeysDeps, KeyringDeps, MigrateDeps, DemoDeps {}

export type ServicesDeps = AuthorizeDeps & DeliverDeps

/** A running server or worker. */
export interface Running {
  /** Where it can be reached; undefined for a worker without a door. */
  url: string | undefined
  store: OpenStore
  adminTokenFile: string | undefined
  /** Resolves when everything is stopped, also the embedded database. */
  stop: () => Promise<void>
}

export interface Context<Args extends readonly string[] = readonly string[]> {
  /** One for each positional argument of the command. */
  args: { [Place in keyof Args]: string }
  flags: Flags
  out: Output
  config: () => Config
  /** Runs work on the store; migrates first unless told not to. */
  withStore: <Result>(work: (store: OpenStore) => Promise<Result>, options?: { migrate?: boolean }) => Promise<Result>
  /** The same with the services and a way out, to them and to destinations. */
  withServices: <Result>(work: (deps: ServicesDeps) => Promise<Result>) => Promise<Result>
  /** The services this process knows. */
  registry: () => Promise<Registry>
  start: (what: { serve: boolean; demo?: boolean }) => Promise<Running>
  /** The simulated services of the demo, told where people come back to. */
  startLab: (baseUrl: string) => Promise<{ services: DemoService[]; stop: () => Promise<void> }>
  doctor: () => DoctorDeps
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
  /** Of an option that is `required`. */
  required(name: string): string
  texts(name: string): string[]
  on(name: string): boolean
}

export interface Command<Args extends readonly string[] = readonly string[]> {
  /** As typed: `app create`. */
  name: string
  summary: string
  /** Names of positional arguments, all required. */
  args?: Args
  options?: Record<string, Option>
  /** Gives an exit code when the answer itself is bad news. */
  run(context: Context<Args>): Promise<number | void>
}

/** Ties the positional arguments to what `run` gets: so many texts, and no more. */
export function command<const Args extends readonly string[] = readonly []>(definition: Command<Args>): Command {
  return definition
}

/** A mistake in what was typed: exit code 2, with the usage. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Somebody pressed Ctrl-C before the work was done: exit code 130. */
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
