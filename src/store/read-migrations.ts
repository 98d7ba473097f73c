import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '#platform/errors.ts'
import { type IndexStep, readIndexSteps } from './index-steps.ts'

export interface Migration {
  name: string
  sql: string
  checksum: string
  /** Indexes that are built or dropped outside a transaction; undefined: the whole file is one transaction. */
  indexSteps?: IndexStep[] | undefined
}

const FOLDER = join(import.meta.dirname, '../../migrations')
const NAME = /^\d{4}-[a-z0-9-]+\.sql$/
const OUTSIDE_TRANSACTION = /^-- no-transaction\r?\n/

/** The migrations of a folder in order: 0001, 0002 and so on, without gaps or duplicates. */
export function readMigrations(folder = FOLDER): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  checkNumbers(names)
  return names.map((name) => {
    const sql = readFileSync(join(folder, name), 'utf8')
    const indexSteps = OUTSIDE_TRANSACTION.test(sql) ? readIndexSteps(name, sql) : undefined
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex'), indexSteps }
  })
}

/** The number at the start of a migration's name; undefined when the name is not a migration's. */
export function numberOf(name: string): number | undefined {
  return NAME.test(name) ? Number(name.slice(0, 4)) : undefined
}

function checkNumbers(names: readonly string[]): void {
  let last: string | undefined
  for (const [i, name] of names.entries()) {
    const number = numberOf(name)
    if (number === undefined) throw disordered(`${name} is not named like 0002-short-title.sql`)
    if (last !== undefined && numberOf(last) === number) throw disordered(`${last} and ${name} have the same number`)
    if (number !== i + 1) throw disordered(`number ${String(i + 1).padStart(4, '0')} is missing before ${name}`)
    last = name
  }
}

function disordered(problem: string): SetupError {
  return new SetupError(`The migrations of this release are not in order: ${problem}.`, {
    code: 'migrations_disordered',
    help: 'Files of two releases are mixed, or a file is missing. Install the release again into an empty folder.',
  })
}
