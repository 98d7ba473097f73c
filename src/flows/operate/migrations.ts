import type { Clock } from '#base/clock.ts'
import type { Database } from '#store/database.ts'
import { type MigrationPlan, migrate, planMigrations } from '#store/migrate.ts'

export interface MigrateNeed {
  database: Database
  clock: Clock
}

export async function listMigrations({ database }: MigrateNeed): Promise<MigrationPlan> {
  return planMigrations(database)
}

export async function runMigrations({ database, clock }: MigrateNeed): Promise<string[]> {
  return migrate(database, clock.now())
}
