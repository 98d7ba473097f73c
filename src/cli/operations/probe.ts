import { writeFileSync } from 'node:fs'
import { probeServices } from '#flows/operations/probe.ts'
import { command, UsageError } from '../command.ts'
import { table } from '../output.ts'

const PARALLEL = { default: 8, most: 32 }

export const probe = command({
  name: 'catalogue probe',
  summary:
    'Ask the sign-in pages of services with a key that no app has, and record what they answer; by hand, with internet.',
  optionalArg: 'SERVICES',
  options: {
    parallel: {
      type: 'string',
      value: 'N',
      meaning: `pages that are asked at a time (${PARALLEL.default}, at most ${PARALLEL.most})`,
    },
    into: { type: 'string', value: 'FILE', meaning: 'write the findings there, as JSON' },
  },
  run: async ({ out, flags, optionalArg, withServices }) => {
    const parallel = Number(flags.text('parallel') ?? PARALLEL.default)
    if (!Number.isInteger(parallel) || parallel < 1 || parallel > PARALLEL.most)
      throw new UsageError(`--parallel: a number from 1 to ${PARALLEL.most}.`)
    const findings = await withServices(async (deps) => {
      const named = optionalArg?.split(',').map((name) => name.trim())
      const unknown = named?.find((name) => deps.registry.find(name) === undefined)
      if (unknown !== undefined) throw new UsageError(`There is no service ${unknown}.`)
      const services =
        named ??
        deps.registry
          .index()
          .filter(({ certainty }) => certainty !== undefined)
          .map(({ service }) => service)
      return probeServices(deps, services, parallel)
    })
    const into = flags.text('into')
    if (into !== undefined) writeFileSync(into, `${JSON.stringify(findings, undefined, 2)}\n`)
    out.result(findings, () =>
      table(
        findings.map(({ service, result, status, detail, address }) => [
          service,
          result,
          status === undefined ? '' : String(status),
          detail ?? '',
          address ?? '',
        ]),
      ),
    )
  },
})
