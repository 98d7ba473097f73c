import '#platform/tune-heap.ts'
import { readFileSync } from 'node:fs'
import { prepareCommands } from '#boot/prepare-commands.ts'
import { EXIT } from '#cli/command.ts'
import { runCli } from '#cli/run.ts'
import { PROGRAM } from '#config/program-name.ts'
import { limitChildMemory } from '#platform/isolation/child-memory.ts'

limitChildMemory(process.env)

// The only reader of the environment, the arguments and the terminal.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const isInteractive = process.stderr.isTTY && process.env['NO_COLOR'] === undefined

process.exitCode = await runCli(
  {
    version,
    terminal: {
      stdout: (text) => process.stdout.write(text),
      stderr: (text) => process.stderr.write(text),
      fancy: isInteractive,
    },
    prepare: prepareCommands({
      version,
      program: PROGRAM,
      env: process.env,
      isInteractive,
      writeLog: (line) => process.stderr.write(line),
      signalled: untilSignal(),
    }),
  },
  process.argv.slice(2),
)
// Interrupted work may never end.
if (process.exitCode === EXIT.interrupted) process.exit()

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
