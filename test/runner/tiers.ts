import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How much is run: by `npm test`, by `npm run test:system`, by `npm run test:nightly`. */
export type Tier = (typeof TIERS)[number]
const TIERS = ['test', 'system', 'nightly'] as const

export function tierNamed(name: string): Tier {
  const found = TIERS.find((tier) => tier === name)
  if (found === undefined) throw new Error(`--tier is one of ${TIERS.join(', ')}, not ${name}`)
  return found
}

const EVERYTHING = ['{src,lab,web/src}/**/*.test.ts', 'test/**/*.test.ts']
/** Run by scripts/check.ts, beside the tests. */
const IN_THE_CHECKS = ['test/{checks,house,docs,document-figures,words,package-names,threat-model}.test.ts']
/** Software of others that is itself tested. */
const NIGHTLY = ['test/real/self/*.test.ts']
/**
 * What starts processes, browsers and servers of others, or walks through every service. The order is that in which they
 * start: the longest first.
 */
const SYSTEM = [
  'test/faults/several-processes.test.ts',
  'test/model/*.test.ts',
  'test/browser/{demo-app,pages,sign-in,dashboard-operators,connect-pages}.test.ts',
  'test/spec/security/every-connector-trust.test.ts',
  'test/connectors.test.ts',
  'test/spec/operating/canary.test.ts',
  'test/spec/proxy/volume.test.ts',
  'test/spec/proxy/sdks/*.test.ts',
  'test/faults/*.test.ts',
  'test/spec/push/command-line.test.ts',
  'test/spec/sync/vendors/{all-services,tables/*}.test.ts',
  'test/spec/{connect/{demo-app,demo-services},accounts/merge-races}.test.ts',
  'test/spec/operating/backup.test.ts',
  'test/spec/push/kinds/folders.test.ts',
  'test/spec/reading/{streaming,several-shards}.test.ts',
  'test/spec/sync/{hook-life-cycle,vendors/{google,slack,spotify-playlists,vendor-hooks,x-spending}}.test.ts',
  'test/browser/*.test.ts',
  'test/command-line/*.test.ts',
  'test/docs-blocks/*.test.ts',
  'test/embedded/*.test.ts',
  'test/{spec,upstream}/**/real-*.test.ts',
  'test/{hostile,linear,deploy,examples,package,bundle}/*.test.ts',
  'test/long/comparison.test.ts',
  'test/sdk/{package,readme}.test.ts',
  'lab/services/**/*.test.ts',
]
/** Of those, one of each kind, which `npm test` runs. */
const SAMPLES = [
  'lab/services/demo-*/*.test.ts',
  'test/faults/idempotency-crash.test.ts',
  'test/command-line/second-signal.test.ts',
  'test/browser/typed-pages.test.ts',
  'test/hostile/{zip,services}.test.ts',
  'test/spec/sync/vendors/tables/email.test.ts',
  'test/spec/sign-in/real-{oidc,oauthlib}.test.ts',
  'test/spec/proxy/sdks/{octokit,tokens-that-left}.test.ts',
]
/** Those that depend on the database's version and on the kind of its tables: every statement is prepared there. */
const ON_EACH_DATABASE = ['test/store/statements.test.ts']
const CLOSE_TO_THE_DATABASE = ['test/store/**/*.test.ts']
/** Searches, whose plans depend on the version. The model in `test/model/` asks all kinds of reads there. */
const SEARCHES = [
  'test/spec/reading/{search,several-shards,pages,tenants}.test.ts',
  'test/spec/reading/{changes,copies,people}/*.test.ts',
]
/** A part of their cases, because the model asks such questions of the newest version too. */
const SOME_SEARCHES = ['test/spec/reading/property.test.ts']
export const OVER_THE_SERVICE = ['test/{spec,store}/**/*.test.ts']
/** Tests of which `npm test` runs a part (test/harness/effort.ts). */
const GENERATED = [
  'test/spec/sign-in/machine.test.ts',
  'test/spec/reading/**/{*property,fuzz}.test.ts',
  'test/spec/accounts/revocation.test.ts',
  'test/spec/sync/recurrence.test.ts',
  'test/spec/operating/malformed-input.test.ts',
  'test/spec/push/kinds/{conformance,records}.test.ts',
  'test/hostile/services.test.ts',
]
/** These files share processes, unless they change theirs. All others test or start processes. */
const TOGETHER = ['{src,lab,web/src}/**/*.test.ts', 'test/{spec,store,upstream}/**/*.test.ts', 'test/sdk/*.test.ts']

/** Of those, the ones that start servers of others or many processes, or need a database without statistics of the planner. */
const ALONE = [
  'test/{spec,upstream}/**/real-*.test.ts',
  'test/spec/push/command-line.test.ts',
  'test/sdk/package.test.ts',
  'test/spec/costs/plans.test.ts',
  'test/spec/reading/own-items.test.ts',
]

export function filesOf(root: string, patterns: string[]): string[] {
  const found = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted())
  return [...new Set(found)].filter((file) => !file.includes('node_modules'))
}

/** The files of a tier. Each test file is in `npm test`, in the system tier, in the checks, or software of others. */
export function filesOfTier(root: string, tier: Tier): string[] {
  const inTheChecks = new Set(filesOf(root, IN_THE_CHECKS))
  if (tier === 'nightly') return filesOf(root, EVERYTHING).filter((file) => !inTheChecks.has(file))
  const samples = new Set(filesOf(root, SAMPLES))
  const system = new Set(filesOf(root, SYSTEM)).difference(samples)
  if (tier === 'system') return [...system]
  const elsewhere = new Set([...system, ...filesOf(root, NIGHTLY)]).union(inTheChecks)
  return [...samples.union(new Set(filesOf(root, EVERYTHING)))].filter((file) => !elsewhere.has(file))
}

/** By the database that they run on. */
interface Repeated {
  /** On each of the other ones too. */
  again: string[]
  /** On the embedded one only; `partly` with as many generated cases as `npm test` has. */
  onTheNewest: string[]
  partly: string[]
}

/** Files that run on the other databases too. */
export function repeatedIn(root: string, tier: Tier): Repeated {
  const files = (again: string[], onTheNewest: string[] = [], partly: string[] = []): Repeated => ({
    again: filesOf(root, again),
    onTheNewest: filesOf(root, onTheNewest),
    partly: filesOf(root, partly),
  })
  if (tier === 'test') return files(ON_EACH_DATABASE)
  if (tier === 'system') return files(CLOSE_TO_THE_DATABASE, SEARCHES, SOME_SEARCHES)
  return files(OVER_THE_SERVICE)
}

const EMPTY_DATABASE = /\b(?:openFresh|openEmptyCluster|freshDatabase)\(/
const FROM_TEMPLATE = /\b(?:openPrepared|preparedDatabase|start(?:Tributary|\w*Harness))\(/

/**
 * Of these files, those that may differ between two kinds of tables on one server. A file of `test/store/` that begins with an
 * empty database makes its own tables, the same for each kind, and has been run on that server already.
 */
export function differByTables(root: string, files: readonly string[]): string[] {
  const store = new Set(filesOf(root, CLOSE_TO_THE_DATABASE))
  return files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return !store.has(file) || !EMPTY_DATABASE.test(text) || FROM_TEMPLATE.test(text)
  })
}

/** Files of `npm test` of which the system tier runs all. */
export function generatedIn(root: string, tier: Tier): string[] {
  return tier === 'system' ? filesOf(root, GENERATED) : []
}

/** Whether a file may share a process. */
export function sharesProcess(root: string): (file: string) => boolean {
  const together = new Set(filesOf(root, TOGETHER)).difference(new Set(filesOf(root, ALONE)))
  return (file) => together.has(file)
}
