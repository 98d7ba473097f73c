import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { type MigrationPlan, migrate, planMigrations } from '#store/migrate.ts'

export interface MigrateDeps {
  database: Database
  clock: Clock
}

export async function listMigrations({ database }: MigrateDeps): Promise<MigrationPlan> {
  return planMigrations(database)
}

export async function runMigrations({ database, clock }: MigrateDeps): Promise<string[]> {
  return migrate(database, clock.now())
}
