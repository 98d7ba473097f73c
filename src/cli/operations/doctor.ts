import { examine } from '#flows/operations/doctor.ts'
import { command, EXIT } from '../command.ts'
import { table } from '../output.ts'

const LABEL = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' }

export const doctor = command({
  name: 'doctor',
  summary: 'Check everything that the service depends on, and say what to do.',
  run: async ({ out, doctor: deps }) => {
    const findings = await examine(deps())
    const failures = findings.filter(({ state }) => state === 'fail').length
    out.result({ healthy: failures === 0, findings }, () =>
      findings.flatMap(({ name, state, detail, help }) => {
        const [first = '', ...more] = detail.split('\n')
        const below = [...more, ...(help?.split('\n') ?? [])]
        return [
          ...table([[LABEL[state], name.padEnd(12), first]]),
          ...below.map((line) => `                    ${line.trim()}`),
        ]
      }),
    )
    return failures === 0 ? EXIT.ok : EXIT.refused
  },
})
