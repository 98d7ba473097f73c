import { z } from 'zod'
import { CATEGORIES, CERTAINTIES } from '#kit/connector/catalogue-words.ts'

const category = z.enum(CATEGORIES).describe('What the service is for.')

const service = z
  .object({
    title: z.string(),
    docs: z.string().describe("Address of the vendor's documentation."),
    auth: z.string().describe('How people sign in: `oauth2`, `oauth1` …'),
    category: category.optional(),
    conditions: z
      .array(z.object({ says: z.string(), source: z.string(), checked: z.string().optional() }))
      .describe('What the vendor demands on the first day, with the page that says so, and when it was read.'),
    aliases: z.array(z.string()),
    endpoints: z.record(
      z.string(),
      z.object({
        types: z.array(z.string()),
        class: z.string(),
        every_seconds: z.number().describe('0: read only when a file is uploaded.'),
        scope: z.array(z.string()).describe('Scopes that the person must grant for it; empty: none of its own.'),
      }),
    ),
    types: z.array(z.string()),
    scope: z.array(z.string()).describe('What a sign-in requests unless the app or its key says otherwise.'),
    limits: z
      .array(
        z.object({
          of: z.enum(['app', 'person', 'service']).describe('Whose calls are counted together.'),
          calls: z.number(),
          per_seconds: z.number(),
          group: z.string().optional().describe('Only calls to this group of endpoints.'),
          reads: z.literal(true).optional().describe('Only calls that read.'),
        }),
      )
      .describe('The documented rate limits of the service, which are never exceeded.'),
    apply: z
      .enum(['proven', 'unproven'])
      .describe('Whether the service confirms to `apply` that it issued a token to this app.'),
    force_login: z.boolean().describe('Whether `force_login` has an effect.'),
    flags: z.array(z.string()).describe('Values of `flag` that have an effect.'),
    settings: z
      .array(z.object({ name: z.string(), title: z.string(), required: z.boolean(), secret: z.boolean() }))
      .describe('Values that an app sets with its keys.'),
    needs_keys: z.boolean().describe('Whether the app must have keys of its own.'),
    asks: z
      .record(z.string(), z.object({ title: z.string(), example: z.string(), required: z.boolean() }))
      .describe('What the person is asked before the sign-in, by the parameter with which the app may answer.'),
    fields: z
      .record(
        z.string(),
        z.object({
          title: z.string(),
          format: z.string(),
          secret: z.boolean(),
          optional: z.boolean(),
          help: z.string().optional(),
        }),
      )
      .optional()
      .describe('What the person types, for services without a login page.'),
    proxy: z
      .string()
      .describe(
        "Where an app calls the service's own API: the origin of the service here, or an address below `/proxy`.",
      ),
    has_keys: z.boolean().optional().describe('With an app: whether it has keys.'),
    addresses: z
      .object({
        callback: z.string(),
        hook: z.string().optional(),
        deletion: z.string().optional(),
        deauthorize: z.string().optional(),
      })
      .optional()
      .describe('With an app: the addresses to enter at the service.'),
    callback_fault: z
      .string()
      .optional()
      .describe('With an app: why the service refuses the callback address, where that can be foreseen.'),
  })
  .meta({ id: 'Service', description: 'A service that people can connect.' })

export const serviceList = z.record(z.string(), service).meta({ id: 'Services', description: 'All services, by name.' })

const found = z
  .object({
    service: z.string(),
    title: z.string(),
    docs: z.string().describe("Address of the vendor's documentation."),
    aliases: z.array(z.string()),
    auth: z.string().describe('How people sign in: `oauth2`, `oauth1` …'),
    category: category.optional(),
    synced: z.boolean().describe('Whether items are read; otherwise there are the sign-in, the person and the proxy.'),
    needs_keys: z.boolean().describe('Whether the app must have keys of its own.'),
    certainty: z
      .enum(CERTAINTIES)
      .optional()
      .describe('Of the catalogue: `declared` by one source, `agreed` by two, or `tried` by somebody.'),
    checked: z.string().optional().describe('When it was compared with its sources.'),
    has_keys: z.boolean().optional().describe('With an app: whether it has keys.'),
    offered: z.boolean().optional().describe('With an app: whether its people can choose it.'),
  })
  .meta({ id: 'FoundService', description: 'A service in a list. `names` of `GET /services` describes it completely.' })

export const foundServices = z
  .array(found)
  .meta({ id: 'FoundServices', description: 'Services that were searched for, the best match first, then by title.' })
