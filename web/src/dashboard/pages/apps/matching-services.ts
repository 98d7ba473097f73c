import type { KeyOfService, ServiceEntry } from './shown-app.ts'

/** Services with keys first, then by title. */
export function matchingServices(
  all: Record<string, ServiceEntry>,
  keys: Pick<KeyOfService, 'service'>[],
  q: string,
): [string, ServiceEntry][] {
  const wanted = q.trim().toLowerCase()
  const hasKeys = (name: string) => keys.some(({ service }) => service === name)
  return Object.entries(all)
    .filter(([name, { title }]) => `${name} ${title}`.toLowerCase().includes(wanted))
    .sort(([a, one], [b, other]) => Number(hasKeys(b)) - Number(hasKeys(a)) || one.title.localeCompare(other.title))
}
