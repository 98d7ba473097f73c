import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CATEGORIES, CERTAINTIES } from '../../src/kit/connector/catalogue-words.ts'
import type { Entry } from '../../src/kit/entry/entry-schema.ts'
import type { Choices } from './propose.ts'

// The generated parts of docs/catalogue.md.

const ENTRIES = join(import.meta.dirname, '../../src/catalogue/entries')

function entriesOfRelease(): [service: string, entry: Entry][] {
  return globSync('*.json', { cwd: ENTRIES })
    .flatMap((file) =>
      Object.entries(
        (JSON.parse(readFileSync(join(ENTRIES, file), 'utf8')) as { services: Record<string, Entry> }).services,
      ),
    )
    .sort(([, a], [, b]) => a.title.localeCompare(b.title, 'en'))
}

const KINDS: Record<string, string> = {
  oauth2: 'OAuth 2',
  oauth1: 'OAuth 1',
  key: 'a key',
  basic: 'name and password',
  typed: 'several values, or an address of a server',
}

const kindOf = ({ auth }: Entry): string => Object.keys(auth)[0]!

/** How many entries there are of each kind of sign-in and of each category, by certainty. */
export function catalogueCounts(): string {
  const entries = entriesOfRelease().map(([, entry]) => entry)
  const kinds = [...new Set(entries.map(kindOf))].sort()
  const named = entries.filter(({ self }) => !('proof' in self)).length
  return [
    `${entries.length} services; ${named} of them name the person who signs in.`,
    table(
      'signed in with',
      kinds,
      (kind) => entries.filter((entry) => kindOf(entry) === kind),
      (kind) => KINDS[kind] ?? kind,
    ),
    table('category', CATEGORIES, (category) => entries.filter((entry) => entry.category === category)),
  ].join('\n\n')
}

function table(
  title: string,
  rows: readonly string[],
  members: (row: string) => Entry[],
  label: (row: string) => string = (row) => row,
): string {
  const counts = (list: readonly Entry[]) =>
    CERTAINTIES.map((certainty) => list.filter((entry) => entry.certainty === certainty).length)
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [
    line([title, 'entries', ...CERTAINTIES]),
    line(['---', '---', ...CERTAINTIES.map(() => '---')]),
    ...rows.map((row) => line([label(row), members(row).length, ...counts(members(row))])),
    line(['all', rows.flatMap(members).length, ...counts(rows.flatMap(members))]),
  ].join('\n')
}

/** All entries of each category: the agreed ones first. */
export function catalogueList(): string {
  const entries = entriesOfRelease()
  return CATEGORIES.flatMap((category) => {
    const members = entries.filter(([, entry]) => entry.category === category)
    if (members.length === 0) return []
    const names = (certainty: string) =>
      members
        .filter(([, entry]) => entry.certainty === certainty)
        .map(([service, { title }]) => `${plain(title)} (\`${service}\`)`)
    return [
      `### ${category}`,
      ...CERTAINTIES.toReversed().flatMap((certainty) => {
        const list = names(certainty)
        return list.length === 0 ? [] : [`${certainty}: ${list.join(', ')}.`]
      }),
    ]
  }).join('\n\n')
}

/** Services that are not offered because they have ended or take no new apps. */
export function deadServices(): string {
  const { dead } = JSON.parse(readFileSync(join(import.meta.dirname, 'choices.json'), 'utf8')) as Choices
  const rows = Object.entries(dead).map(([service, reason]) => `| \`${service}\` | ${reason} |`)
  return ['| service | why it is not offered |', '|---|---|', ...rows].join('\n')
}

const plain = (title: string): string => title.replaceAll(/[|`*_[\]<>]/g, ' ')
