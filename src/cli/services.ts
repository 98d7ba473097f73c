import { type Auth, verifiesApp } from '#kit/auth.ts'
import { command } from './command.ts'
import { table } from './output.ts'

export const services = command({
  name: 'services',
  summary: 'List the services that this installation supports.',
  run: async ({ out, registry }) => {
    const known = (await registry()).list()
    out.result(
      known.map(({ service, title, docs, auth }) => ({ service, title, auth: auth.kind, apply: provenBy(auth), docs })),
      () =>
        table([
          ['service', 'title', 'auth', 'apply', 'documentation'],
          ...known.map(({ service, title, docs, auth }) => [service, title, auth.kind, provenBy(auth), docs]),
        ]),
    )
  },
})

const provenBy = (auth: Auth) => (verifiesApp(auth) ? 'proven' : 'unproven')
