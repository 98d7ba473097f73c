import { z } from 'zod'
import { createExportTicket, redeemExportTicket } from '#flows/operators/export-links.ts'
import { ApiError } from '#model/errors.ts'
import { NDJSON, sendExport } from '../accounts/account-data.ts'
import { html } from '../pages/html.ts'
import { page, sendPage } from '../pages/layout.ts'
import { text } from '../request/parameters.ts'
import { followSession, requireSignedIn } from '../server/operator-session.ts'
import { route } from '../server/route.ts'

/** Limit: characters of an account's id in a link to its export; ours are shorter. */
const MAX_ACCOUNT_ID = 100

export const create = route({
  auth: 'dashboard',
  summary: 'Make a link with which this browser saves the export of an account: for a minute, once, in this session',
  body: z.object({ account: z.string().max(MAX_ACCOUNT_ID) }),
  status: 201,
  response: z
    .object({ url: z.string().describe('A path of this server.'), expires_at: z.int() })
    .meta({ id: 'ExportLink', description: 'Where this browser downloads an export.' }),
  reasons: ['signed_out', 'not_found'],
  run: async (deps, { body, request }) => {
    const operator = await requireSignedIn(deps, request)
    const { ticket, expiresAt } = await createExportTicket(deps, operator, body.account)
    return { url: `/dashboard/exports/${encodeURIComponent(body.account)}/${ticket}`, expires_at: expiresAt }
  },
})

export const download = route({
  auth: 'browser',
  summary: 'Download the export of an account by a link of the dashboard, as a file',
  path: z.object({ account: text('The account.'), ticket: text('From the link.') }),
  // It uses the link up.
  hasSideEffects: true,
  type: NDJSON,
  reasons: ['signed_out', 'link_invalid', 'not_found', 'too_many_readers'],
  run: async (deps, { path: { account: id, ticket }, request, reply }) => {
    try {
      const operator = await requireSignedIn(deps, request)
      const account = await redeemExportTicket(deps, operator, id, ticket)
      followSession(deps, request, reply, () => operator)
      reply.header('content-disposition', `attachment; filename="account-${account.id}.ndjson"`)
      return await sendExport(deps, account, operator.actor, { request, reply })
    } catch (error) {
      reply.removeHeader('content-disposition')
      // The pages for other errors are for people who connect services.
      if (!(error instanceof ApiError) || !(request.headers.accept ?? '').includes('text/html')) throw error
      return sendPage(reply, refusedPage(error.message, id), error.status)
    }
  },
})

const refusedPage = (sentence: string, account: string) =>
  page(
    'Nothing was exported · Tributary',
    html`<h1>Nothing was exported</h1>
<div class="card"><p>${sentence}</p>
<p><a href="/dashboard/accounts/${encodeURIComponent(account)}">Back to the account</a></p></div>`,
    { narrow: true },
  )
