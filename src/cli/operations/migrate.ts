import { listMigrations, runMigrations } from '#flows/operations/migrations.ts'
import { command } from '../command.ts'

export const migrate = command({
  name: 'migrate',
  summary: 'Apply pending migrations to the database.',
  options: { 'dry-run': { type: 'boolean', meaning: 'print the SQL without running it' } },
  run: async ({ flags, out, withStore }) => {
    await withStore(
      async (store) => {
        if (flags.on('dry-run')) {
          const { done, pending } = await listMigrations(store)
          out.result({ done, pending: pending.map(({ name }) => name) }, () =>
            pending.length === 0 ? ['Nothing to do.'] : pending.flatMap(({ name, sql }) => [`-- ${name}`, sql]),
          )
          return
        }
        const applied = await runMigrations(store)
        out.result({ applied }, () =>
          applied.length === 0 ? ['Nothing to do.'] : applied.map((name) => `Applied ${name}.`),
        )
      },
      { migrate: false },
    )
  },
})
