import { matching, type ServiceSearch } from '#flows/read/search-services.ts'
import { appProofOf } from '#kit/auth/app-proof.ts'
import type { Auth } from '#kit/auth/auth.ts'
import { AUTH_KINDS } from '#kit/auth/auth-kinds.ts'
import { CATEGORIES } from '#kit/connector/catalogue-words.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { docsAddress } from '#kit/connector/service-addresses.ts'
import { keysOf } from '#platform/formats/keys-of.ts'
import { command, type Flags, UsageError } from '../command.ts'
import type { Output } from '../output.ts'
import { table } from '../output.ts'

export const services = command({
  name: 'services',
  summary: 'List the services that are synced, or find services of the catalogue too, by words, category and sign-in.',
  optionalArg: 'WORDS',
  options: {
    all: { type: 'boolean', meaning: 'list every service' },
    category: { type: 'string', value: 'NAME', meaning: `one of ${CATEGORIES.join(', ')}` },
    auth: { type: 'string', value: 'KIND', meaning: `one of ${keysOf(AUTH_KINDS).join(', ')}` },
  },
  run: async ({ out, registry, config, optionalArg, flags }) => {
    const { baseUrl } = config()
    const search: ServiceSearch = {
      ...(optionalArg === undefined ? {} : { q: optionalArg }),
      ...oneOf(flags, 'category', CATEGORIES),
      ...oneOf(flags, 'auth', keysOf(AUTH_KINDS)),
    }
    if (flags.on('all') || Object.keys(search).length > 0) showFound(out, baseUrl, await registry(), search)
    else showSynced(out, baseUrl, await registry())
  },
})

function showFound(out: Output, baseUrl: string, registry: Registry, search: ServiceSearch): void {
  const found = matching(registry, search).map(({ entry }) => entry)
  out.result(
    found.map(({ service, title, auth, category, isSynced, certainty, docs }) => ({
      service,
      title,
      auth,
      category,
      synced: isSynced,
      certainty,
      docs: docsAddress(baseUrl, { service, docs }),
    })),
    () =>
      found.length === 0
        ? ['No service matches.']
        : table([
            ['service', 'title', 'auth', 'category', 'synced', 'documentation'],
            ...found.map(({ service, title, auth, category, isSynced, docs }) => [
              service,
              title,
              auth,
              category ?? '',
              isSynced ? 'yes' : 'no',
              docsAddress(baseUrl, { service, docs }),
            ]),
          ]),
  )
}

function showSynced(out: Output, baseUrl: string, registry: Registry): void {
  const known = registry.list()
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
}

function oneOf<Name extends 'category' | 'auth', Value extends string>(
  flags: Flags,
  name: Name,
  known: readonly Value[],
): Partial<Record<Name, Value>> {
  const given = flags.text(name)
  if (given === undefined) return {}
  const value = known.find((each) => each === given)
  if (value === undefined) throw new UsageError(`--${name} must be one of ${known.join(', ')}.`)
  return { [name]: value } as Record<Name, Value>
}

const provenBy = (auth: Auth) => (appProofOf(auth) === 'none' ? 'unproven' : 'proven')
