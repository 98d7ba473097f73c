import { codeOf, isUnavailable, reasonOf, SetupError } from '#platform/errors.ts'

/** How far a run of migrations is, for the sentence about its failure. */
export interface MigrationProgress {
  /** Migrations that stay applied whatever happens now. */
  kept: readonly string[]
  migration?: string | undefined
  /** The statement of it that runs; undefined: its new tables are placed on the nodes, or it is recorded. */
  statement?: string | undefined
}

/** Limit: characters of the statement that failed, in the message; the rest is cut off. */
const MAX_STATEMENT = 160
const NOT_SUPPORTED = '0A000'
const AGAIN = 'tributary migrate'

/** What failed, what the database has now, and both ways on: forward, and back to the release before. */
export function migrationFailed(cause: unknown, { kept, migration, statement }: MigrationProgress): SetupError {
  const at = statement === undefined ? '' : `\nThe statement: ${shorten(statement)}`
  const isOwn = cause instanceof SetupError
  const what = migration === undefined ? 'The pending migrations were not applied' : `Migration ${migration} failed`
  return new SetupError(isOwn ? cause.message : `${what}: ${reasonOf(cause)}.${at}`, {
    code: isOwn ? cause.code : 'migration_failed',
    help: [isOwn ? cause.help : forward(cause), back(kept)].join('\n'),
    cause,
  })
}

function forward(cause: unknown): string {
  if (isUnavailable(cause)) return `When the database responds again, run: ${AGAIN}`
  if (codeOf(cause) === NOT_SUPPORTED)
    return 'This server does not know the statement, which is a mistake of the release: report it, and go back meanwhile.'
  return `Mend what PostgreSQL reports, then run: ${AGAIN}`
}

/** A release starts on a schema whose migrations it all knows. */
function back(kept: readonly string[]): string {
  const last = kept.toSorted().at(-1)
  if (last === undefined) return 'Nothing was changed: the database has no migrations yet.'
  return [
    `The database has the migrations up to ${last}. The way back: start the release before again, which works as before if it`,
    `has migrations/${last}. If it has not, restore the backup from before with it: tributary backup restore FILE --force`,
  ].join('\n')
}

function shorten(statement: string): string {
  const line = statement.replaceAll(/\s+/g, ' ')
  return line.length <= MAX_STATEMENT ? line : `${line.slice(0, MAX_STATEMENT)}…`
}
