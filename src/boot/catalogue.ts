import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connector } from '#kit/connector/connector.ts'
import type { CatalogueCard, CatalogueSource } from '#kit/connector/registry.ts'
import type { Entry } from '#kit/entry/entry-schema.ts'
import { expandEntry } from '#kit/entry/expand-entry.ts'

const FOLDER = join(import.meta.dirname, '../catalogue/entries')

/** The entries of a file, by service. */
export type Entries = Readonly<Record<string, Entry>>

/**
 * The catalogue of this release. Its files are parsed when somebody first asks for a service that has no connector, and an entry is
 * expanded when it is asked for. They are checked in tests, not here.
 */
export function openCatalogue(folder: string = FOLDER): CatalogueSource {
  let read: Map<string, Entry> | undefined
  const expanded = new Map<string, Connector>()
  const entries = (): Map<string, Entry> => {
    read ??= new Map(filesOf(folder).flatMap((path) => Object.entries(entriesIn(path))))
    return read
  }
  return {
    find: (service) => {
      const known = expanded.get(service)
      if (known !== undefined) return known
      const entry = entries().get(service)
      if (entry === undefined) return undefined
      const connector = expandEntry(service, entry)
      expanded.set(service, connector)
      return connector
    },
    cards: () => [...entries()].map(([service, entry]) => cardOf(service, entry)),
  }
}

/** The files with entries in a folder, in the order of their names. */
export function filesOf(folder: string, ending: string = '.json'): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name))
}

function entriesIn(path: string): Entries {
  return (JSON.parse(readFileSync(path, 'utf8')) as { services: Entries }).services
}

function cardOf(
  service: string,
  { title, docs, category, certainty, checked, auth, conditions = [] }: Entry,
): CatalogueCard {
  const kind =
    'oauth2' in auth
      ? 'oauth2'
      : 'oauth1' in auth
        ? 'oauth1'
        : 'key' in auth
          ? 'api_key'
          : 'basic' in auth
            ? 'basic'
            : 'typed'
  return { service, title, docs, category, certainty, checked, auth: kind, conditions }
}
