import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connector } from '#kit/connector/connector.ts'
import type { CatalogueSource, ServiceMark } from '#kit/connector/registry.ts'
import type { ServiceSummary } from '#kit/connector/service-index.ts'
import type { Entry } from '#kit/entry/entry-schema.ts'
import { expandEntry } from '#kit/entry/expand-entry.ts'

const FOLDER = join(import.meta.dirname, '../catalogue/entries')
const MARKS = join(import.meta.dirname, '../catalogue/marks.json')

/** The entries of a file, by service. */
export type Entries = Readonly<Record<string, Entry>>

/**
 * The catalogue of this release. Its files are parsed when somebody first asks for a service that has no connector, and an entry is
 * expanded when it is asked for. They are checked in tests, not here.
 */
export function openCatalogue(folder: string = FOLDER): CatalogueSource {
  let read: Map<string, Entry> | undefined
  let marks: Readonly<Record<string, [color: string, path: string]>> | undefined
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
    mark: (service): ServiceMark | undefined => {
      marks ??= JSON.parse(readFileSync(MARKS, 'utf8')) as NonNullable<typeof marks>
      const [color, path] = marks[service] ?? []
      return color === undefined || path === undefined ? undefined : { color: `#${color}`, path }
    },
    summaries: () => [...entries()].map(([service, entry]) => summaryOfEntry(service, entry)),
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

function summaryOfEntry(service: string, entry: Entry): ServiceSummary {
  const { title, docs, aliases = [], category, certainty, checked, auth, conditions = [] } = entry
  const kind = kindOf(auth)
  return {
    service,
    title,
    docs,
    aliases,
    auth: kind,
    // An entry has no way to register an app.
    needsKeys: kind === 'oauth2' || kind === 'oauth1',
    isSynced: false,
    category,
    certainty,
    checked,
    conditions,
  }
}

function kindOf(auth: Entry['auth']): ServiceSummary['auth'] {
  if ('oauth2' in auth) return 'oauth2'
  if ('oauth1' in auth) return 'oauth1'
  if ('key' in auth) return 'api_key'
  return 'basic' in auth ? 'basic' : 'typed'
}
