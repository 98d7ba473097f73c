import { appProofOf } from '#kit/auth/app-proof.ts'
import type { Auth } from '#kit/auth/auth.ts'
import { docsAddress } from '#kit/connector/service-addresses.ts'
import { command } from '../command.ts'
import { table } from '../output.ts'

export const services = command({
  name: 'services',
  summary: 'List the services that this installation supports.',
  run: async ({ out, registry, config }) => {
    const { baseUrl } = config()
    const known = (await registry()).list()
    out.result(
      known.map(({ service, title, docs, auth, settings }) => ({
        service,
        title,
        auth: auth.kind,
        apply: provenBy(auth),
        settings: settings.map(({ name }) => name),
        docs: docsAddress(baseUrl, { service, docs }),
      })),
      () =>
        table([
          ['service', 'title', 'auth', 'apply', 'settings', 'documentation'],
          ...known.map(({ service, title, docs, auth, settings }) => [
            service,
            title,
            auth.kind,
            provenBy(auth),
            settings.map(({ name }) => name).join(' '),
            docsAddress(baseUrl, { service, docs }),
          ]),
        ]),
    )
  },
})

const provenBy = (auth: Auth) => (appProofOf(auth) === 'none' ? 'unproven' : 'proven')
