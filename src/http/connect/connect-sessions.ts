import { z } from 'zod'
import {
  createConnectSession,
  endConnectSession,
  SESSION_S,
  showConnectSession,
} from '#flows/connect/connect-session.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'

/** Limit: services that one session may name. */
const MAX_SERVICES = 200

const session = z
  .object({
    id: z.string(),
    state: z
      .enum(['open', 'used', 'done', 'expired', 'revoked'])
      .describe(
        '`open`: nobody began. `used`: a browser began, and only that one can go on. `done`: a profile is connected.',
      ),
    account: z.string().optional().describe('The account that the profile joins.'),
    service: z.string().optional().describe('What was connected, once it is done.'),
    services: z.array(z.string()).optional(),
    label: z.string().optional(),
    created_at: z.int(),
    expires_at: z.int(),
    used_at: z.int().optional(),
    done_at: z.int().optional(),
  })
  .meta({ id: 'ConnectSession', description: 'A link by which one person connects a service, and what became of it.' })

const path = z.object({ id: text('The session.') })

export const create = route({
  auth: 'app',
  idempotencyKey: true,
  summary: 'Create a link by which one person connects a service; it works once, in one browser',
  body: z.object({
    redirect_uri: text('Where the person returns to, with a `code`; must be registered.'),
    account: text(
      'Add the profile to this account, after the person confirms. Default: their own, or a new one.',
    ).optional(),
    services: z
      .array(text('A service.', 100))
      .min(1)
      .max(MAX_SERVICES)
      .optional()
      .describe('Offer only these. Default: all services of the app.'),
    locale: text('Language of the pages: en, de, fr, es, pt, ja or ar. Default: that of the browser.', 35).optional(),
    state: text('Returned unchanged in the redirect.', 4000).optional(),
    scope: text("Overrides the service's default scope.").optional(),
    label: text('What the person is called in the app, shown to them: a name or an email address.', 100).optional(),
    expires_in: z
      .number()
      .int()
      .min(SESSION_S.min)
      .max(SESSION_S.max)
      .default(SESSION_S.default)
      .describe('Seconds for which the link works.'),
    code_challenge: z
      .string()
      .regex(/^[\w-]{43}$/)
      .optional()
      .describe('PKCE with `S256`; required for a public client.'),
  }),
  status: 201,
  response: z
    .object({
      id: z.string(),
      url: z.string().describe('For the person. It is shown only once.'),
      expires_at: z.int(),
    })
    .meta({ id: 'NewConnectSession', description: 'A new connect session, with its link.' }),
  reasons: [
    'redirect_unregistered',
    'service_unknown',
    'no_service_keys',
    'service_not_offered',
    'not_found',
    'too_many_sessions',
  ],
  run: (deps, { app, actor, body }) =>
    createConnectSession(
      deps,
      app,
      {
        redirectUri: body.redirect_uri,
        account: body.account,
        services: body.services,
        locale: body.locale,
        state: body.state,
        scope: body.scope,
        label: body.label,
        expiresInS: body.expires_in,
        codeChallenge: body.code_challenge,
      },
      actor,
    ),
})

export const show = route({
  auth: 'app',
  summary: 'Get a connect session: whether its link was used, and what was connected',
  path,
  response: session,
  reasons: ['not_found'],
  run: (deps, { app, path: { id } }) => showConnectSession(deps, app, id),
})

export const revoke = route({
  auth: 'app',
  summary: 'Revoke a connect session; its link and a sign-in that began with it end',
  path,
  response: session,
  reasons: ['not_found'],
  run: (deps, { app, actor, path: { id } }) => endConnectSession(deps, app, id, actor),
})
