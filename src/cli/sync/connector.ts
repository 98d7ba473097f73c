import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { existingFiles, SERVICE_NAME, scaffoldConnector } from '#flows/conformance/scaffold.ts'
import { command, EXIT, UsageError } from '../command.ts'
import { table } from '../output.ts'

export const check = command({
  name: 'connector check',
  summary:
    'Check a connector or a file of entries that you wrote: its definition, and with a simulator beside it every endpoint.',
  args: ['FILE'],
  run: async ({ args, out, checkConnector }) => {
    if (!existsSync(args[0])) throw new UsageError(`There is no file ${args[0]}.`)
    const results = await checkConnector(args[0])
    const faults = results.filter(({ fault }) => fault !== undefined).length
    const hasSimulator = results.some(({ check }) => check === 'self')
    out.result({ passed: faults === 0, simulator: hasSimulator, results }, () => [
      ...table(results.map(({ check: name, fault }) => [fault === undefined ? 'ok  ' : 'FAIL', name, fault ?? ''])),
      ...(hasSimulator || args[0].endsWith('.json')
        ? []
        : ['Without a simulator (NAME.simulator.ts beside NAME.ts) no endpoint is read.']),
    ])
    return faults === 0 ? EXIT.ok : EXIT.refused
  },
})

export const create = command({
  name: 'connector new',
  summary: 'Write a new connector with a simulator and a test, to start from.',
  args: ['NAME'],
  options: { into: { type: 'string', value: 'FOLDER', meaning: 'where to write it (TRIBUTARY_CONNECTORS, or here)' } },
  run: async ({ args, flags, out, config }) => {
    const [name] = args
    if (!SERVICE_NAME.test(name))
      throw new UsageError(`“${name}”: a service is named with lower-case letters, digits and dashes.`)
    const folder = resolve(flags.text('into') ?? config().connectorsDir ?? '.')
    const existing = existingFiles(folder, name)
    if (existing.length > 0) throw new UsageError(`${existing.join(', ')} exists already.`)
    const written = scaffoldConnector(folder, name)
    out.result({ written }, () => [
      ...written,
      '',
      'Next: write what the service really does, and check it:',
      `  tributary connector check ${join(folder, `${name}.ts`)}`,
    ])
  },
})
