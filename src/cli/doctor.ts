import { examine } from '#flows/operations/doctor.ts'
import { command, EXIT } from './command.ts'
import { table } from './output.ts'

const MARK = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' }

export const doctor = command({
  name: 'doctor',
  summary: 'check everything the service stands on, and say what to do',
  run: async ({ out, doctor: deps }) => {
    const findings = await examine(deps())
    const bad = findings.filter(({ state }) => state === 'fail').length
    out.result({ healthy: bad === 0, findings }, () =>
      findings.flatMap(({ name, state, detail, help }) => [
        ...table([[MARK[state], name.padEnd(12), detail]]),
        ...(help === undefined ? [] : [`                    ${help}`]),
      ]),
    )
    return bad === 0 ? EXIT.ok : EXIT.refused
  },
})
