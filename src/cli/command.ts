import type { Config } from '#base/config.ts'
import type { AuthorizeNeed } from '#flows/authorize/need.ts'
import type { DeliverNeed } from '#flows/deliver/need.ts'
import type { AppsNeed } from '#flows/manage/apps.ts'
import type { KeysNeed } from '#flows/manage/keys.ts'
import type { DemoNeed, DemoService } from '#flows/operate/demo.ts'
import type { DoctorNeed } from '#flows/operate/doctor.ts'
import type { KeyringNeed } from '#flows/operate/keyring.ts'
import type { MigrateNeed } from '#flows/operate/migrations.ts'
import type { Registry } from '#kit/registry.ts'
import type { Output } from './output.ts'

/** What commands work on: the store, opened and checked, and closed again when the command ends. */
export interface OpenStore extends AppsNeed, KeysNeed, KeyringNeed, MigrateNeed, DemoNeed {}

export type ServicesNeed = AuthorizeNeed & DeliverNeed

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
  withServices: <Result>(work: (need: ServicesNeed) => Promise<Result>) => Promise<Result>
  /** The services this process knows. */
  registry: () => Promise<Registry>
  start: (what: { serve: boolean; demo?: boolean }) => Promise<Running>
  /** The simulated services of the demo, told where people come back to. */
  startLab: (baseUrl: string) => Promise<{ services: DemoService[]; stop: () => Promise<void> }>
  doctor: () => DoctorNeed
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
