import { z } from 'zod'
import { readSettings } from '#flows/operations/settings.ts'
import { route } from '../server/route.ts'

const commands = z.array(z.string())

export const settings = route({
  auth: 'admin',
  summary: 'How this installation is set up, without secrets',
  response: z
    .object({
      version: z.string(),
      base_url: z.string(),
      trusted_proxies: z.int().describe('Addresses and networks of proxies that are trusted.'),
      database: z.object({
        kind: z.enum(['embedded', 'external']),
        version: z.string(),
        sharded: z.boolean(),
        replica: z.boolean(),
        pending_migrations: z.int(),
      }),
      keys: z.object({
        source: z.enum(['file', 'TRIBUTARY_KEY']),
        newest: z.string().describe('The public id of the key that seals.'),
        old: z.int().describe('Older keys, which still open values.'),
        commands,
      }),
      backups: z.object({
        commands,
        last: z
          .object({
            created_at: z.int(),
            bytes: z.int(),
            tables: z.int(),
            keys_included: z.boolean().describe('Whether the sealing keys are in it.'),
            verified_at: z.int().optional().describe('When it was read again and found intact.'),
            old: z.boolean().describe('Whether there should be a newer one.'),
          })
          .optional()
          .describe('The newest of `tributary backup create`; copies that the database server makes are not known.'),
        old_after_days: z.number(),
      }),
      retention: z.array(z.object({ what: z.string(), days: z.number() })),
      maintenance: z
        .array(
          z.object({
            task: z.string(),
            succeeded_at: z.int().optional().describe('The end of its last run without a failure.'),
            failed_at: z.int().optional(),
            error: z.string().optional().describe('Of the last run, if it failed.'),
            fails: z.int().describe('Failed runs since the last success.'),
            rows: z.int().describe('What the last run changed.'),
            late: z.boolean().describe('Whether it has not succeeded for an hour; it runs every ten minutes.'),
          }),
        )
        .describe('What runs every few minutes, each task independently of the others.'),
      quotas: z.array(z.object({ name: z.string(), meaning: z.string(), limit: z.number().nullable() })),
      sessions: z.object({ idle_hours: z.number(), days: z.number() }),
      workers: z.array(
        z.object({
          lane: z.string(),
          pid: z.int().optional(),
          ready: z.boolean(),
          state: z
            .enum(['running', 'starting', 'idle', 'down'])
            .describe('`idle`: it starts when there is work for it.'),
          memory_bytes: z.int(),
          deaths: z.int(),
        }),
      ),
    })
    .meta({ id: 'Settings', description: 'How this installation is set up.' }),
  run: (deps) => readSettings(deps),
})
