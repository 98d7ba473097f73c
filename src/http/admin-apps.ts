import { z } from 'zod'
import { createApp, deleteApp, getApp, listApps, OVERLAP_MS, rotateAppSecret, updateApp } from '#flows/manage/apps.ts'
import { presentApp } from '#model/app.ts'
import { route } from './route.ts'

const ACTOR = 'admin'

const app = z.object({
  client_id: z.string(),
  name: z.string(),
  redirect_uris: z.array(z.string()),
  token_flow: z.boolean(),
  created_at: z.number(),
})
const path = z.object({ client_id: z.string() })

const fields = z.object({
  name: z.string().describe('What people see when they are asked to agree.'),
  redirect_uris: z.array(z.string()).describe('Addresses that people may return to; compared exactly.'),
  token_flow: z.boolean().optional().describe('Allow `response_type=token`. Default true.'),
})

export const list = route({
  door: 'admin',
  summary: 'All apps',
  answer: z.array(app),
  run: async (house) => (await listApps(house)).map(presentApp),
})

export const create = route({
  door: 'admin',
  summary: 'A new app; the secret is shown this once',
  body: fields,
  status: 201,
  answer: app.extend({ client_secret: z.string() }),
  run: async (house, { body }) => {
    const made = await createApp(
      house,
      { name: body.name, redirectUris: body.redirect_uris, tokenFlow: body.token_flow },
      ACTOR,
    )
    return { ...presentApp(made.app), client_secret: made.secret }
  },
})

export const show = route({
  door: 'admin',
  summary: 'One app, with the age of its secrets',
  path,
  answer: app.extend({
    secrets: z.array(z.object({ id: z.string(), created_at: z.number(), expires_at: z.number().optional() })),
  }),
  reasons: ['not_found'],
  run: async (house, call) => {
    const found = await getApp(house, call.path.client_id)
    return {
      ...presentApp(found.app),
      secrets: found.secrets.map(({ id, createdAt, expiresAt }) => ({
        id,
        created_at: createdAt,
        expires_at: expiresAt,
      })),
    }
  },
})

export const update = route({
  door: 'admin',
  summary: 'Change name, redirect addresses or flows of an app',
  path,
  body: fields.partial(),
  answer: app,
  reasons: ['not_found'],
  run: async (house, { path: { client_id: id }, body }) =>
    presentApp(
      await updateApp(
        house,
        id,
        {
          ...(body.name === undefined ? {} : { name: body.name }),
          ...(body.redirect_uris === undefined ? {} : { redirectUris: body.redirect_uris }),
          tokenFlow: body.token_flow,
        },
        ACTOR,
      ),
    ),
})

export const remove = route({
  door: 'admin',
  summary: 'Delete an app and its keys',
  path,
  answer: z.object({ deleted: z.string() }),
  reasons: ['not_found'],
  run: async (house, call) => {
    await deleteApp(house, call.path.client_id, ACTOR)
    return { deleted: call.path.client_id }
  },
})

export const rotateSecret = route({
  door: 'admin',
  summary: 'A second secret; the first ends after the overlap',
  path,
  body: z.object({
    overlap_seconds: z
      .number()
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(OVERLAP_MS / 1000)
      .describe('How long the old secret keeps working.'),
  }),
  answer: app.extend({ client_secret: z.string(), previous_ends_at: z.number() }),
  reasons: ['not_found'],
  run: async (house, { path: { client_id: id }, body }) => {
    const rotated = await rotateAppSecret(house, id, ACTOR, body.overlap_seconds * 1000)
    return { ...presentApp(rotated.app), client_secret: rotated.secret, previous_ends_at: rotated.previousEndsAt }
  },
})
