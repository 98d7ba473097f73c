import { command } from './command.ts'
import { table } from './output.ts'

export const services = command({
  name: 'services',
  summary: 'List the services that this installation supports.',
  run: async ({ out, registry }) => {
    const known = (await registry()).list()
    out.result(
      known.map(({ service, title, docs, auth }) => ({ service, title, auth: auth.kind, docs })),
      () =>
        table([
          ['service', 'title', 'auth', 'documentation'],
          ...known.map(({ service, title, docs, auth }) => [service, title, auth.kind, docs]),
        ]),
    )
  },
})
