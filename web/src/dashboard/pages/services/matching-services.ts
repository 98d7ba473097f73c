import type { Service } from '@tributary-hub/client/generated/api.ts'
import type { servicesSearch } from '../../search.ts'

type Named = [name: string, service: Service]

/** The services that have all the words, the type, and keys of the app or not. */
export function matchingServices(all: Named[], { q = '', type, keys }: ReturnType<typeof servicesSearch>): Named[] {
  const words = q.toLowerCase().split(/\s+/)
  return all.filter(
    ([name, service]) =>
      words.every((word) => searched(name, service).includes(word)) &&
      (type === undefined || service.types.includes(type)) &&
      (keys === undefined || isUsable(service) === (keys === 'yes')),
  )
}

/** Whether people of the app can sign in there. */
const isUsable = ({ has_keys: hasKeys, needs_keys: needsKeys }: Service) => hasKeys === true || !needsKeys

function searched(name: string, { title, aliases, types, endpoints }: Service): string {
  return [name, title, ...aliases, ...types, ...Object.keys(endpoints)].join(' ').toLowerCase()
}
