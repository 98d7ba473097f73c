import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { entryFaults } from '../../src/kit/entry/entry-faults.ts'
import type { Entry } from '../../src/kit/entry/entry-schema.ts'
import type { SourceFacts } from './facts.ts'
import { type Choices, propose } from './propose.ts'
import { readAuthJs } from './sources/auth-js.ts'
import { readGrant } from './sources/grant.ts'
import { SIGN_IN_LISTS } from './sources/sign-in-lists.ts'
import { readSocialCore } from './sources/social-core.ts'
import { readSocialite } from './sources/socialite.ts'

// Compares local copies of open lists of services and prints what they do not agree on; `--write` writes what is agreed and chosen.
//
//     node scripts/catalogue/gather.ts --grant DIR --socialite DIR --social-core DIR --auth-js DIR [--checked YYYY-MM-DD] [--write]

const READERS: Record<string, (folder: string) => SourceFacts[]> = {
  grant: readGrant,
  socialite: readSocialite,
  'social-core': readSocialCore,
  'auth-js': readAuthJs,
  ...SIGN_IN_LISTS,
}
const ENTRIES = join(import.meta.dirname, '../../src/catalogue/entries')

const { values } = parseArgs({
  options: {
    ...Object.fromEntries(Object.keys(READERS).map((name) => [name, { type: 'string' as const }])),
    checked: { type: 'string' },
    write: { type: 'boolean' },
  },
})
const text = (name: string): string | undefined => {
  const value = (values as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}
const choices = JSON.parse(readFileSync(join(import.meta.dirname, 'choices.json'), 'utf8')) as Choices
const facts = Object.entries(READERS).flatMap(([name, read]) => {
  const folder = text(name)
  return folder === undefined ? [] : read(folder)
})
const written = entriesByHand()
const byReason = new Map<string, string[]>()
const proposed = new Map<string, Entry>()
for (const [service, all] of Map.groupBy(facts, ({ name }) => choices.renamed[name] ?? name)) {
  const reason = choices.dead[service] ?? choices.leftOut[service]
  const proposal =
    reason ??
    (written.has(service)
      ? 'written by hand'
      : propose(serviceName(service), all, choices, text('checked') ?? '2026-11-19'))
  if (typeof proposal === 'string') byReason.set(proposal, [...(byReason.get(proposal) ?? []), service])
  else {
    const faults = entryFaults(proposal.service, proposal.entry)
    for (const { field, expected } of faults) process.stdout.write(`${service}: FAULT ${field}: ${expected}\n`)
    for (const difference of proposal.differences) process.stdout.write(`${service}: ${difference}\n`)
    if (faults.length === 0) proposed.set(proposal.service, proposal.entry)
  }
}
for (const [reason, names] of byReason)
  process.stdout.write(`${names.length} left out, ${reason}: ${names.sort().join(' ')}\n`)
const agreed = [...proposed.values()].filter(({ certainty }) => certainty === 'agreed').length
process.stdout.write(`${proposed.size} proposed, ${agreed} of them agreed, ${written.size} by hand\n`)
if (values['write'] === true) write()

/** A service begins with a letter. */
function serviceName(name: string): string {
  return /^\d/.test(name) ? `s${name}` : name
}

/** Entries that this script did not write: their file names say so. */
function entriesByHand(): Map<string, Entry> {
  const files = globSync('by-hand*.json', { cwd: ENTRIES })
  return new Map(
    files.flatMap((file) =>
      Object.entries(
        (JSON.parse(readFileSync(join(ENTRIES, file), 'utf8')) as { services: Record<string, Entry> }).services,
      ),
    ),
  )
}

/** One file per category, sorted by name. */
function write(): void {
  const sorted = [...proposed].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [category, members] of Map.groupBy(sorted, ([, entry]) => entry.category))
    writeFileSync(
      join(ENTRIES, `${category}.json`),
      `${JSON.stringify({ $schema: '../entry.schema.json', services: Object.fromEntries(members) }, null, 2)}\n`,
    )
}
