import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectors } from '../../src/connectors/index.ts'
import { entryFaults } from '../../src/kit/entry/entry-faults.ts'
import type { Entry } from '../../src/kit/entry/entry-schema.ts'
import { domainOf } from './domain.ts'
import type { SourceFacts } from './facts.ts'
import { readActivepieces } from './keys/activepieces.ts'
import { readApisGuru } from './keys/apis-guru.ts'
import { readBallerina } from './keys/ballerina.ts'
import { readKingfisher, readNuclei } from './keys/key-checks.ts'
import { type KeyFacts, letters } from './keys/key-facts.ts'
import { readPowerPlatform } from './keys/power-platform.ts'
import { nameOfHost, proposeKey, withSources } from './keys/propose-key.ts'
import { type Choices, propose, withLists } from './propose.ts'
import { readAuthJs } from './sources/auth-js.ts'
import { readGrant } from './sources/grant.ts'
import { SIGN_IN_LISTS } from './sources/sign-in-lists.ts'
import { readSocialCore } from './sources/social-core.ts'
import { readSocialite } from './sources/socialite.ts'
import { readVendorPages, withVendorPages } from './vendor-pages.ts'

// Compares local copies of open lists of services and prints what they do not agree on; `--write` writes what is agreed and chosen.
//
//     node scripts/catalogue/gather.ts --SOURCE DIR … [--checked YYYY-MM-DD] [--write]

const SIGN_IN_READERS: Record<string, (folder: string) => SourceFacts[]> = {
  grant: readGrant,
  socialite: readSocialite,
  'social-core': readSocialCore,
  'auth-js': readAuthJs,
  ...SIGN_IN_LISTS,
}
const KEY_READERS: Record<string, (folder: string) => KeyFacts[]> = {
  'apis-guru': readApisGuru,
  'power-platform': readPowerPlatform,
  activepieces: readActivepieces,
  ballerina: readBallerina,
  kingfisher: readKingfisher,
  nuclei: readNuclei,
}
const ENTRIES = join(import.meta.dirname, '../../src/catalogue/entries')

const { values } = parseArgs({
  options: {
    ...Object.fromEntries(
      [...Object.keys(SIGN_IN_READERS), ...Object.keys(KEY_READERS)].map((name) => [name, { type: 'string' as const }]),
    ),
    vendors: { type: 'string' },
    checked: { type: 'string' },
    write: { type: 'boolean' },
  },
})
const text = (name: string): string | undefined => {
  const value = (values as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}
const readAll = <Facts>(readers: Record<string, (folder: string) => Facts[]>): Facts[] =>
  Object.entries(readers).flatMap(([name, read]) => {
    const folder = text(name)
    return folder === undefined ? [] : read(folder)
  })
const checked = text('checked') ?? '2026-11-19'
const choices = JSON.parse(readFileSync(join(import.meta.dirname, 'choices.json'), 'utf8')) as Choices
const byHand = entriesByHand()
const written = new Set([...byHand.values()].flatMap((entries) => Object.keys(entries)))
const byReason = new Map<string, string[]>()
const proposed = new Map<string, Entry>()
/** Local copies of what `vendor-pages.json` names. */
const vendors = text('vendors')
const vendorPages = vendors === undefined ? new Map<string, string[]>() : readVendorPages(vendors)

const signInFacts = readAll(SIGN_IN_READERS)
for (const [name, all] of Map.groupBy(signInFacts, ({ name }) => choices.renamed[name] ?? name)) {
  const service = serviceName(name)
  consider(
    service,
    reasonOf(service) ?? (written.has(service) ? 'written by hand' : propose(service, all, choices, checked)),
  )
}
const keyFacts = readAll(KEY_READERS)
const byHost = Map.groupBy(keyFacts, ({ base }) => new URL(base).hostname)
const taken = takenNames()
const hostsOfDomain = Map.groupBy(byHost.values(), ([first]) => domainOf(first!.base))
const named = [...byHost.values()].map((all) => {
  const name = nameOfHost(all, hostsOfDomain.get(domainOf(all[0]!.base))!.length === 1)
  return { service: choices.renamed[name] ?? name, all }
})
for (const { service, all } of named.sort((a, b) => a.service.length - b.service.length))
  consider(
    service,
    reasonOf(service) ?? (isTaken(service, all) ? undefined : proposeKey(service, all, choices, checked)),
  )
for (const [file, entries] of byHand)
  byHand.set(
    file,
    Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [
        name,
        withVendorPages(withLists(withSources(entry, factsFor(entry)), signInFacts), vendorPages.get(name)),
      ]),
    ),
  )

for (const [reason, names] of byReason)
  process.stdout.write(`${names.length} left out, ${reason}: ${names.sort().join(' ')}\n`)
const everything = [...proposed.values(), ...[...byHand.values()].flatMap((entries) => Object.values(entries))]
const agreed = everything.filter(({ certainty }) => certainty === 'agreed').length
process.stdout.write(`${everything.length} entries, ${agreed} of them agreed, ${written.size} by hand\n`)
if (values['write'] === true) write()

interface Considered {
  service: string
  entry: Entry
  differences: string[]
}

/** Keeps a proposal, and prints what a person has to look at. */
function consider(service: string, proposal: Considered | string | undefined): void {
  if (proposal === undefined) return
  if (typeof proposal === 'string') {
    byReason.set(proposal, [...(byReason.get(proposal) ?? []), service])
    return
  }
  const faults = entryFaults(service, proposal.entry)
  for (const { field, expected } of faults) process.stdout.write(`${service}: FAULT ${field}: ${expected}\n`)
  for (const difference of proposal.differences) process.stdout.write(`${service}: ${difference}\n`)
  if (faults.length === 0) proposed.set(service, withVendorPages(proposal.entry, vendorPages.get(service)))
}

function reasonOf(service: string): string | undefined {
  return choices.dead[service] ?? choices.leftOut[service]
}

/** Names, titles and domains that other entries and the connectors have. */
function takenNames(): Set<string> {
  const entries = [...[...byHand.values()].flatMap((each) => Object.entries(each)), ...proposed]
  return new Set([
    ...connectors.flatMap(({ service, title, aliases }) => [service, title, ...aliases].map(letters)),
    ...entries.flatMap(([name, { title, api }]) => [
      letters(name),
      letters(title),
      ...(URL.canParse(api.base) ? [domainOf(api.base)] : []),
    ]),
  ])
}

/** One entry for a service: people who sign in need no key. Services of one company on several hosts are several. */
function isTaken(service: string, all: readonly KeyFacts[]): boolean {
  const domain = domainOf(all[0]!.base)
  return taken.has(letters(service)) || taken.has(domain) || proposed.has(service)
}

function factsFor(entry: Entry): readonly KeyFacts[] {
  return URL.canParse(entry.api.base) ? (byHost.get(new URL(entry.api.base).hostname) ?? []) : []
}

/** A service begins with a letter. */
function serviceName(name: string): string {
  return /^\d/.test(name) ? `s${name}` : name
}

/** Entries that this script did not write: their file names say so. */
function entriesByHand(): Map<string, Record<string, Entry>> {
  return new Map(
    globSync('by-hand*.json', { cwd: ENTRIES }).map((file) => [
      file,
      (JSON.parse(readFileSync(join(ENTRIES, file), 'utf8')) as { services: Record<string, Entry> }).services,
    ]),
  )
}

/** One file per category and kind of sign-in, sorted by name. */
function write(): void {
  const save = (file: string, services: Record<string, Entry>) =>
    writeFileSync(join(ENTRIES, file), `${JSON.stringify({ $schema: '../entry.schema.json', services }, null, 2)}\n`)
  const sorted = [...proposed].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [category, members] of Map.groupBy(sorted, ([, entry]) => entry.category))
    save(`${category}.json`, Object.fromEntries(members))
  for (const [file, entries] of byHand) save(file, entries)
}
