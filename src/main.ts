import '#platform/tune-heap.ts'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLabProcess } from '#boot/lab-process.ts'
import { openBareDatabase, openStore } from '#boot/open-store.ts'
import { EXIT, InterruptedError } from '#cli/command.ts'
import { runCli } from '#cli/run.ts'
import { systemClock } from '#platform/clock.ts'
import { type Config, loadConfig } from '#platform/config.ts'
import { createLog, type Log } from '#platform/telemetry/log.ts'

// The only reader of the environment, the arguments and the terminal.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const isInteractive = process.stderr.isTTY && process.env['NO_COLOR'] === undefined

const signalled = untilSignal()
// Ends commands that do one thing; those that serve wait for the signal themselves.
const interrupted = signalled.then((): never => {
  throw new InterruptedError('Interrupted before the command was done.')
})
// Handled by the command that waits for it; without one, the rejection must not end the process.
interrupted.catch(() => {})

process.exitCode = await runCli(
  {
    version,
    terminal: {
      stdout: (text) => process.stdout.write(text),
      stderr: (text) => process.stderr.write(text),
      fancy: isInteractive,
    },
    prepare: (overrides) => {
      let loaded: Config | undefined
      const config = () => (loaded ??= loadConfig(process.env, overrides))
      return {
        config,
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
          (await import('#boot/with-services.ts')).withServices(config(), log(config(), { quiet: true }), work),
        registry: async () => (await import('#boot/registry.ts')).loadRegistry(config()),
        checkConnector: async (file) =>
          (await import('#boot/check-connector.ts')).checkConnectorFile(file, log(config(), { quiet: true })),
        startLab: startLabProcess,
        // Worker processes write to the same terminal, in the same format.
        start: async (options) =>
          (await import('#boot/app.ts')).start(
            { ...config(), logFormat: formatOf(config()) },
            log(config(), { quiet: false }),
            version,
            options,
          ),
        doctor: () => ({
          config,
          nodeVersion: process.versions.node,
          clock: systemClock,
          withDatabase: async (work) => {
            const { database, close } = await openBareDatabase(config(), log(config(), { quiet: true }))
            try {
              return await work(database)
            } finally {
              await close()
            }
          },
        }),
        untilSignal: signalled,
      }
    },
  },
  process.argv.slice(2),
)
// Interrupted work may never end.
if (process.exitCode === EXIT.interrupted) process.exit()

/** Text at a terminal, JSON otherwise, unless LOG_FORMAT is set. */
function formatOf({ logFormat }: Config): Config['logFormat'] {
  return isInteractive && process.env['LOG_FORMAT'] === undefined ? 'text' : logFormat
}

function log(config: Config, { quiet }: { quiet: boolean }): Log {
  const level = quiet && config.logLevel === 'info' ? 'warn' : config.logLevel
  return createLog({ level, format: formatOf(config), clock: systemClock, write: (line) => process.stderr.write(line) })
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      let seen = false
      process.on(signal, () => {
        // A second Ctrl-C exits at once; the embedded database recovers at the next start. A second SIGTERM is ignored, because npm
        // forwards the signal that a service manager has already sent to the whole process group.
        if (seen && signal === 'SIGINT') process.exit(130)
        seen = true
        resolve(signal)
      })
    }
  })
}
