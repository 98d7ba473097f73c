import { type ChildProcess, spawn } from 'node:child_process'

/** Migrates in a process of its own, which a test can kill. */
export function migrateInProcess(url: string, folder: string): ChildProcess {
  const program = `
    import { openDatabase } from '#platform/postgres/database.ts'
    import { migrate } from '#store/migrate.ts'
    import { readMigrations } from '#store/read-migrations.ts'
    const log = new Proxy({}, { get: () => () => {} })
    const database = openDatabase({ url: ${JSON.stringify(url)}, pool: 2, prepared: true, log })
    await migrate(database, 1, readMigrations(${JSON.stringify(folder)}))
    await database.close()`
  return spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  })
}
