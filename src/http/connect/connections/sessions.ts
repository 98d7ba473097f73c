import { z } from 'zod'
import { accountOfApp } from '#flows/accounts/export-account.ts'
import { createConnectionsLink } from '#flows/connect/connections-session.ts'
import { languageOf } from '../../pages/languages/languages.ts'
import { text } from '../../request/parameters.ts'
import { route } from '../../server/route.ts'

const fields = {
  redirect_uri: text(
    'A registered address of the app: the page leads back to its host. Default: the first one.',
  ).optional(),
  locale: text('Language of the page: en, de, fr, es, pt, ja or ar. Default: that of the browser.', 35).optional(),
}
const response = z
  .object({
    url: z.string().describe('For the person only. Works once, and until `expires_at`.'),
    expires_at: z.int(),
  })
  .meta({ id: 'ConnectionsLink', description: 'A link to the page on which a person sees and ends their connections.' })

export const createByApp = route({
  auth: 'app',
  // With the link an operator could delete the account as its person.
  dangerous: true,
  idempotencyKey: true,
  summary: "Create a link by which the person of one of the app's accounts sees and ends their connections",
  body: z.object({ account: text('The account.'), ...fields }),
  status: 201,
  response,
  reasons: ['not_found', 'redirect_unregistered'],
  run: async (deps, { app, actor, body }) => {
    const account = await accountOfApp(deps, app.id, body.account)
    return createConnectionsLink(deps, account, given(body), actor)
  },
})

export const createByAccount = route({
  auth: 'account',
  dangerous: true,
  idempotencyKey: true,
  summary: 'Create a link by which the person of the account sees and ends their connections',
  body: z.object(fields),
  status: 201,
  response,
  reasons: ['redirect_unregistered'],
  run: (deps, { account, actor, body }) => createConnectionsLink(deps, account, given(body), actor),
})

function given({
  redirect_uri: redirectUri,
  locale,
}: {
  redirect_uri?: string | undefined
  locale?: string | undefined
}) {
  return { redirectUri, language: languageOf(locale) }
}
