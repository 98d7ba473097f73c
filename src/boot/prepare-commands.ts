import { setTimeout as sleep } from 'node:timers/promises'
import { InterruptedError } from '#cli/command.ts'
import type { RunDeps } from '#cli/run.ts'
import { type Config, type Environment, loadConfig } from '#config/config.ts'
import { servedSettings } from '#config/served-settings.ts'
import { findData, removeData } from '#flows/operations/remove-data.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog, type Log } from '#platform/telemetry/log.ts'
import { openBareDatabase, openStore, withReadDatabase } from './open-store.ts'

/** What commands know of the process that runs them. */
export interface CommandProcess {
  version: string
  /** How a person types the command here. */
  program: string
  env: Environment
  /** Log lines are text at a terminal and JSON otherwise, unless LOG_FORMAT is set. */
  isInteractive: boolean
  writeLog: (line: string) => void
  /** Resolves at Ctrl-C or SIGTERM. */
  signalled: Promise<NodeJS.Signals>
}

/** Gives commands access to the store, the services and the parts of the service that they start. */
export function prepareCommands({
  version,
  program,
  env,
  isInteractive,
  writeLog,
  signalled,
}: CommandProcess): RunDeps['prepare'] {
  // Ends commands that do one thing; those that serve wait for the signal themselves.
  const interrupted = signalled.then((): never => {
    throw new InterruptedError('Interrupted before the command was done.')
  })
  // Handled by the command that waits for it; without one, the rejection must not end the process.
  interrupted.catch(() => {})

  const formatOf = ({ logFormat }: Config): Config['logFormat'] =>
    isInteractive && env['LOG_FORMAT'] === undefined ? 'text' : logFormat
  const log = (config: Config, { quiet }: { quiet: boolean }): Log => {
    const level = quiet && config.logLevel === 'info' ? 'warn' : config.logLevel
    return createLog({ level, format: formatOf(config), clock: systemClock, write: writeLog })
  }

  return (overrides) => {
    let loaded: Config | undefined
    // What a server is started with, and what `doctor` checks.
    const own = () => (loaded ??= loadConfig(env, overrides))
    let asServed: Config | undefined
    const config = () => (asServed ??= withServed(own()))
    const withServed = (given: Config): Config => {
      const served = servedSettings(given.dataDir, env)
      return Object.keys(served).length === 0 ? given : loadConfig({ ...env, ...served }, overrides)
    }
    return {
      config,
      version,
      program,
      withStore: async (work, options = {}) => {
        const opening = openStore(config(), log(config(), { quiet: true }), { migrate: options.migrate ?? true })
        const store = await Promise.race([opening, interrupted])
        try {
          return await Promise.race([work(store), interrupted])
        } finally {
          await Promise.race([store.close(), signalled.then(() => sleep(2000))])
        }
      },
      // Loaded on demand: the HTTP server, the connectors and the drivers are most of the start, and most commands need none of them.
      withServices: async (work) =>
        (await import('./with-services.ts')).withServices(config(), log(config(), { quiet: true }), work),
      registry: async () => (await import('./registry.ts')).loadRegistry(config()),
      checkConnector: async (file) =>
        (await import('./check-connector.ts')).checkConnectorFile(file, log(config(), { quiet: true })),
      demoServices: async () => (await import('./demo-client.ts')).demoClient(config().dataDir),
      // Worker processes write to the same terminal, in the same format.
      start: async (options) =>
        (await import('./app.ts')).start(
          { ...own(), logFormat: formatOf(own()) },
          log(own(), { quiet: false }),
          version,
          options,
        ),
      doctor: () => ({
        config: own,
        nodeVersion: process.versions.node,
        clock: systemClock,
        withDatabase: async (work) => {
          const { database, close } = await openBareDatabase(own(), log(own(), { quiet: true }))
          try {
            return await work(database)
          } finally {
            await close()
          }
        },
        withReplica: (work) => withReadDatabase(own(), log(own(), { quiet: true }), work),
      }),
      dataOfFolder: () => {
        const deps = { config: config(), log: log(config(), { quiet: true }) }
        return { find: () => findData(deps), remove: () => removeData(deps) }
      },
      untilSignal: signalled,
    }
  }
}
