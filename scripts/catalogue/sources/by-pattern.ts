import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined, literalAddress, nameIn, type Person, type SourceFacts } from '../facts.ts'

/** Where a list whose services are pieces of code has their facts. */
export interface Patterns {
  source: string
  /** The files below the folder of the source. */
  files: string
  /** Cuts a file into one text per service; without it a file is one service. */
  cut?: RegExp
  /** Taken out first: comments and the like. */
  without?: RegExp
  /** The first group is the name; where it is missing, the file's path is searched with `path`. */
  name?: RegExp
  path?: RegExp
  docs?: RegExp
  /** OAuth 1 has one. */
  request?: RegExp
  authorize: RegExp
  token: RegExp
  refresh?: RegExp
  revoke?: RegExp
  profile?: RegExp
  /** The first group has the quoted scopes. */
  scopes?: RegExp
  separator?: RegExp
  basic?: RegExp
  /** Paths of the fields of the person's record; `in` is the path that precedes all of them. */
  person?: Partial<Record<keyof Person | 'in', RegExp>>
}

/** The facts of all services of one list. The first group of each pattern that matches is the value. */
export function readByPattern(folder: string, patterns: Patterns): SourceFacts[] {
  return globSync(patterns.files, { cwd: folder })
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8').replaceAll(patterns.without ?? /$^/g, '')
      const parts = patterns.cut === undefined ? [text] : text.split(patterns.cut).slice(1)
      return parts.flatMap((part) => factsOf(part, file, patterns))
    })
}

function factsOf(text: string, file: string, patterns: Patterns): SourceFacts[] {
  const at = (pattern: RegExp | undefined): string | undefined =>
    pattern === undefined
      ? undefined
      : pattern
          .exec(text)
          ?.slice(1)
          .find((group) => group !== undefined)
  const name = at(patterns.name) ?? patterns.path?.exec(file)?.[1]
  if (name === undefined) return []
  const address = (pattern: RegExp | undefined) => literalAddress(at(pattern)?.replace(/[?&]$/, ''))
  const scopes = [...(at(patterns.scopes) ?? '').matchAll(/["'`]([^"'`\s]+)["'`]/g)].map(([, each]) => each!)
  const authorize = address(patterns.authorize)?.split('?')[0]
  if (authorize === undefined) return []
  return [
    defined({
      source: patterns.source,
      name: nameIn(name),
      docs: at(patterns.docs),
      request: at(patterns.request),
      authorize,
      token: address(patterns.token)?.split('?')[0],
      refresh: address(patterns.refresh),
      revoke: address(patterns.revoke),
      scope: scopes.length === 0 ? undefined : scopes,
      separator: at(patterns.separator) ?? (patterns.scopes === undefined ? undefined : ' '),
      client: patterns.basic?.test(text) === true ? ('basic_raw' as const) : undefined,
      profile: address(patterns.profile),
      person: personIn(patterns.person, at),
    }),
  ]
}

function personIn(
  person: Patterns['person'],
  at: (pattern: RegExp | undefined) => string | undefined,
): Person | undefined {
  if (person === undefined) return undefined
  const before = at(person.in)
  const path = (pattern: RegExp | undefined): string | undefined => {
    const found = at(pattern)
    return found === undefined ? undefined : before === undefined ? found : `${before}.${found}`
  }
  const read = defined({
    id: path(person.id),
    name: path(person.name),
    handle: path(person.handle),
    email: path(person.email),
    photo: path(person.photo),
  })
  return read.id === undefined ? undefined : read
}
