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

/** The migrations of a folder in their order: 0001, 0002, and so on, each number once. */
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

/** The number in front of a migration's name; undefined when there is none. */
export function numberOf(name: string): number | undefined {
  return NAME.test(name) ? Number(name.slice(0, 4)) : undefined
}

function checkNumbers(names: readonly string[]): void {
  let last: string | undefined
  for (const [at, name] of names.entries()) {
    const number = numberOf(name)
    if (number === undefined) throw disordered(`${name} is not named like 0002-short-title.sql`)
    if (last !== undefined && numberOf(last) === number) throw disordered(`${last} and ${name} have the same number`)
    if (number !== at + 1) throw disordered(`number ${String(at + 1).padStart(4, '0')} is missing before ${name}`)
    last = name
  }
}

function disordered(what: string): SetupError {
  return new SetupError(`The migrations of this release are not in order: ${what}.`, {
    code: 'migrations_disordered',
    help: 'The files of two releases were mixed, or one is missing: install the release again into an empty folder.',
  })
}
