import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { COMMANDS } from '#cli/commands.ts'
import { withArguments } from '#cli/help.ts'
import { VARIABLES } from '#config/config.ts'
import { connectors } from '#connectors/index.ts'
import * as clickhouse from '#destinations/clickhouse/tables.ts'
import type { Kind } from '#destinations/contract.ts'
import { createKinds } from '#destinations/kinds.ts'
import * as mysql from '#destinations/mysql/tables.ts'
import * as postgres from '#destinations/postgres/tables.ts'
import { optionsOf } from '#flows/push/manage/destination-options.ts'
import { ROUTES } from '#http/routes.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { entryFileSchema } from '#kit/entry/entry-schema.ts'
import { REVOCATION_RESULTS } from '#model/accounts/revocation.ts'
import { DESTINATION_KINDS } from '#model/apps/destination.ts'
import { formatMoney } from '#model/apps/money.ts'
import { REASONS } from '#model/errors.ts'
import { alwaysInMap, CARD_FIELDS, cardFieldsOf, MAP_FIELDS, mapFieldsOf } from '#model/items/normal.ts'
import { type BaseType, ITEM_TYPES, OWN_TYPES } from '#model/items/types.ts'
import { PUSH_EVENTS } from '#store/push/events.ts'
import { apiTypes } from '../sdk/scripts/generate.ts'
import { appProofTable } from './app-proofs.ts'
import { catalogueCounts, catalogueList, deadServices } from './catalogue/page.ts'
import { checkTable } from './checks/shown-by.ts'
import { costTables } from './costs.ts'
import { limitsIn, limitsJson, limitsTables } from './limits.ts'
import { packageTable } from './packages/table.ts'
import { releaseFiles } from './release/files.ts'
import { boundsTable } from './table-bounds.ts'
import { callersTable } from './threat-model/callers.ts'
import { columnsTable } from './threat-model/columns.ts'
import { rolesTable } from './threat-model/roles.ts'
import { targetsTable } from './threat-model/targets.ts'

const root = join(import.meta.dirname, '..')
const BASE_TYPES: BaseType[] = [...OWN_TYPES, 'contacts']

/** The files with generated parts, as they should be. test/docs.test.ts fails when a file differs. */
export function writtenDocs(): Record<string, string> {
  const limits = limitsIn(root)
  return {
    'docs/config.md': between('docs/config.md', 'variables', variables()),
    'docs/api.md': between(
      'docs/api.md',
      'routes',
      routes(),
      'reasons',
      reasons(),
      'revocations',
      revocations(),
      'fields',
      typeFields(),
    ),
    'docs/catalogue.md': between(
      'docs/catalogue.md',
      'counts',
      catalogueCounts(),
      'list',
      catalogueList(),
      'dead',
      deadServices(),
    ),
    'docs/cli.md': between('docs/cli.md', 'commands', commands()),
    'docs/connectors.md': between(
      'docs/connectors.md',
      'connectors',
      connectorTable(),
      'app proofs',
      appProofTable(),
      'conditions',
      conditionTable(),
    ),
    'docs/costs.md': between('docs/costs.md', 'costs', costTables()),
    'docs/limits.md': between('docs/limits.md', 'limits', limitsTables(limits)),
    'docs/limits.json': limitsJson(limits),
    'docs/operating.md': between('docs/operating.md', 'bounds', boundsTable()),
    'docs/push.md': pushPage(),
    'docs/packages.md': between('docs/packages.md', 'packages', packageTable()),
    'docs/checks.md': between('docs/checks.md', 'checks', checkTable()),
    'docs/threat-model.md': between(
      'docs/threat-model.md',
      'callers',
      callersTable(),
      'roles',
      rolesTable(),
      'targets',
      targetsTable(),
      'columns',
      columnsTable(),
    ),
    'src/catalogue/entry.schema.json': `${JSON.stringify(z.toJSONSchema(entryFileSchema, { io: 'input' }), null, 2)}\n`,
    'sdk/src/generated/api.ts': apiTypes(),
    'test/release-files.txt': `${releaseFiles().join('\n')}\n`,
  }
}

function variables(): string {
  const rows = Object.values(VARIABLES).map(
    ({ name, fallback, meaning }) => `| \`${name}\` | ${fallback ? `\`${fallback}\`` : ''} | ${meaning} |`,
  )
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n')
}

function routes(): string {
  // The proxy accepts every method; it gets one row.
  const rows = ROUTES.map(([method, path, route]) => {
    const { auth, summary } = route
    const name = 'mounted' in route ? `ANY ${path.replace(/:path$/, '<path>')}` : `${method} ${path}`
    return `| \`${name}\` | ${auth} | ${summary} |`
  })
  return ['| route | auth | what it does |', '|---|---|---|', ...new Set(rows)].join('\n')
}

function reasons(): string {
  const rows = Object.entries(REASONS).map(
    ([reason, [status, number, text]]) => `| \`${reason}\` | ${status} | ${status * 100 + number} | ${text} |`,
  )
  return ['| reason | status | code | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

/** By type: the fields of `map` and `oembed`. */
function typeFields(): string {
  const code = (names: string[]) => names.map((name) => `\`${name}\``).join(' ')
  const isCommon = <Name extends string>(fieldsOf: (type: BaseType) => Name[], name: Name) =>
    BASE_TYPES.every((type) => fieldsOf(type).includes(name))
  const own = <Name extends string>(fieldsOf: (type: BaseType) => Name[], type: BaseType) =>
    code(fieldsOf(type).filter((name) => !isCommon(fieldsOf, name)))
  const always = (type: BaseType) =>
    alwaysInMap([type]).filter((name) => !isCommon((each) => alwaysInMap([each]), name))
  const may = (type: BaseType) =>
    mapFieldsOf(type).filter((name) => !isCommon(mapFieldsOf, name) && !always(type).includes(name))
  const inEveryMap = alwaysInMap(['photos']).filter((name) => isCommon((each) => alwaysInMap([each]), name))
  const inAnyMap = mapFieldsOf('photos').filter((name) => isCommon(mapFieldsOf, name) && !inEveryMap.includes(name))
  const common = <Name extends string>(fieldsOf: (type: BaseType) => Name[]) =>
    code(fieldsOf('photos').filter((name) => isCommon(fieldsOf, name)))
  const meanings = Object.entries({ ...MAP_FIELDS }).map(
    ([name, schema]) => `| \`map.${name}\` | ${z.globalRegistry.get(schema)?.description ?? ''} |`,
  )
  return [
    '| type | `map` always has | `map` may have | `oembed` may have |',
    '|---|---|---|---|',
    `| every type | ${code(inEveryMap)} | ${code(inAnyMap)} | ${common(cardFieldsOf)} |`,
    ...BASE_TYPES.map(
      (type) => `| \`${type}\` also | ${code(always(type))} | ${code(may(type))} | ${own(cardFieldsOf, type)} |`,
    ),
    '',
    '| field | meaning |',
    '|---|---|',
    ...meanings,
    '| `map.at` | When it happened, in epoch milliseconds: `at` of the item. |',
    '| `map.author.id` | The native id of who is named, as in `participants`; null where the service does not say. |',
    '| `map.ll` | Latitude and longitude in degrees: `[53.5, 9.9]`. |',
    '| `map.participants` | Service users who took part, by native id; the author has `"author": true`. |',
    '| `map.oembed` | The card. |',
    ...Object.entries(CARD_FIELDS).map(
      ([name, schema]) => `| \`oembed.${name}\` | ${z.globalRegistry.get(schema)?.description ?? ''} |`,
    ),
  ].join('\n')
}

function revocations(): string {
  const rows = Object.entries(REVOCATION_RESULTS).map(([result, text]) => `| \`${result}\` | ${text} |`)
  return ['| `service_token` | meaning |', '|---|---|', ...rows].join('\n')
}

function commands(): string {
  const rows = COMMANDS.map((command) => `| \`${withArguments(command)}\` | ${command.summary} |`)
  return ['| command | what it does |', '|---|---|', ...rows].join('\n')
}

function priceOf({ price }: Pick<Endpoint, 'price'>): string {
  return price === undefined ? '' : `${formatMoney(price.perRecord)} ${price.currency}`
}

/** What vendors demand on the first day. */
function conditionTable(): string {
  const rows = connectors.flatMap(({ title, conditions = [] }) =>
    conditions.map(({ says, source, checked = '' }) => `| ${title} | ${says} | [page](${source}) | ${checked} |`),
  )
  return ['| service | what it demands | says | read |', '|---|---|---|---|', ...rows].join('\n')
}

function connectorTable(): string {
  const rows = connectors.flatMap(({ service, auth, endpoints, self }) => [
    ...(self.price === undefined
      ? []
      : [`| \`${service}/self\` | the person’s record |  | ${intervalOf(self.everyMs)} |  | ${priceOf(self)} |`]),
    ...Object.entries(endpoints).map(([name, endpoint]) => {
      const types = endpoint.types.map((type) => (endpoint.feed ? `${type}_feed` : type)).join(', ')
      const every = auth.kind === 'file' ? 'at an upload' : intervalOf(endpoint.everyMs)
      return `| \`${service}/${name}\` | ${types} | ${endpoint.class} | ${every} | ${deletesOf(endpoint)} | ${priceOf(endpoint)} |`
    }),
  ])
  return ['| endpoint | types | class | every | deletes | price |', '|---|---|---|---|---|---|', ...rows].join('\n')
}

const NEEDS_MYSQL = 'needs MySQL or MariaDB; test/spec/push runs it'
const NEEDS_CLICKHOUSE = 'needs ClickHouse; test/spec/push runs it'

function pushPage(): string {
  const tables = ({ VERSIONS }: { VERSIONS: string[][] }, mark?: string) =>
    VERSIONS.map((statements, i) =>
      sql(
        [
          `-- version ${i + 1}`,
          ...statements.filter((each) => !/^create [^(]*\bview /.test(each)).map(terminated),
        ].join('\n'),
        mark,
      ),
    ).join('\n\n')
  const view = postgres.VERSIONS.flat().find((each) => each.startsWith('create or replace view'))
  const events = Object.entries(PUSH_EVENTS).map(([type, meaning]) => `| \`${type}\` | ${meaning} |`)
  const kinds = createKinds({ filesDir: undefined })
  return between(
    'docs/push.md',
    ...DESTINATION_KINDS.flatMap((kind) => [`${kind}-options`, optionTable(kinds[kind])]),
    'postgres-rights',
    sql(postgres.leastPrivilegeScript('tributary'), 'creates a role of the server; choose a password first'),
    'mysql-rights',
    sql(mysql.leastPrivilegeScript('tributary'), NEEDS_MYSQL),
    'postgres-tables',
    tables(postgres),
    'mysql-tables',
    tables(mysql, NEEDS_MYSQL),
    'clickhouse-tables',
    tables(clickhouse, NEEDS_CLICKHOUSE),
    'clickhouse-view',
    sql(terminated(clickhouse.VERSIONS.flat().find((each) => each.startsWith('create view'))!), NEEDS_CLICKHOUSE),
    'views',
    ITEM_TYPES.map((type) => `\`tributary_${type}\``).join(', '),
    'postgres-view',
    sql(terminated(view!)),
    'events',
    ['| event | when, and what it says |', '|---|---|', ...events].join('\n'),
  )
}

function optionTable(kind: Kind): string {
  const rows = Object.entries(optionsOf(kind).shape).map(([name, schema]) => {
    const { description } = z.globalRegistry.get(schema) ?? {}
    return `| \`${name}\` | ${description} |`
  })
  return ['| option | meaning |', '|---|---|', ...rows].join('\n')
}

function terminated(statement: string): string {
  return `${statement};`
}

/** A block; with a reason, test/docs-blocks does not run it. */
function sql(text: string, notRun?: string): string {
  return `\`\`\`sql${notRun === undefined ? '' : ` no-run: ${notRun}`}\n${text}\n\`\`\``
}

function deletesOf({ deletes, wholeEveryMs }: Endpoint): string {
  return wholeEveryMs === undefined ? deletes : `${deletes}, every ${intervalOf(wholeEveryMs)}`
}

function intervalOf(ms: number): string {
  const minutes = ms / 60_000
  if (minutes % 1440 === 0) return `${minutes / 1440} d`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`; the rest of the file is not generated. */
function between(file: string, ...parts: string[]): string {
  let text = readFileSync(join(root, file), 'utf8')
  for (let i = 0; i < parts.length; i += 2) {
    const [name, content] = [parts[i]!, parts[i + 1]!]
    const pattern = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`)
    if (!pattern.test(text)) throw new Error(`${file} lacks the markers <!-- ${name} --> and <!-- /${name} -->`)
    text = text.replace(pattern, (_, open: string, close: string) => `${open}${content}\n${close}`)
  }
  return text
}

// Not `import.meta.main`: scripts/run.mjs imports this file when the machine's Node is new enough.
if (process.argv[1] === import.meta.filename) {
  for (const [file, text] of Object.entries(writtenDocs())) writeFileSync(join(root, file), text)
}
