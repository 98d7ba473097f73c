import { z } from 'zod'
import { servicesOf } from '#flows/authorize/services.ts'
import { checkReturn } from '#flows/authorize/start.ts'
import { html } from './pages/html.ts'
import { page, sendPage } from './pages/layout.ts'
import { text } from './parameters.ts'
import { route } from './route.ts'

export const connectPage = route({
  auth: 'browser',
  summary: "Show a page with the app's services; choosing one starts the sign-in",
  type: 'text/html',
  emptyIsAbsent: true,
  query: z.object({
    client_id: text("The app's client id.").optional(),
    redirect_uri: text('Where to redirect the person.').optional(),
    services: text('Names with commas between them: show only these, also ones that need no keys.').optional(),
    access_token: text('Link to the account of this token.').optional(),
    state: text('Returned unchanged in the redirect.', 4000).optional(),
    scope: text("Overrides the service's default scope.").optional(),
    response_type: text('`code` (default) or `token`.').optional(),
    flag: text('A variant of the sign-in that some services have, e.g. `dm`.').optional(),
    force_login: text('Request a new login at the service.').optional(),
    code_challenge: text('PKCE.').optional(),
    code_challenge_method: text('`S256`.').optional(),
  }),
  reasons: ['client_unknown', 'redirect_unregistered'],
  run: async (deps, { query: { services: named, ...query }, reply }) => {
    const { app } = await checkReturn(deps, query)
    const services = await servicesOf(deps, app, named?.split(','))
    const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
    const link = (service: string) =>
      `/oauth/authenticate?${new URLSearchParams([...given, ['service', service]]).toString()}`
    const list = services.map(({ service, title }) => html`<li><a href="${link(service)}">${title}</a></li>`)
    return sendPage(
      reply,
      page(
        `Connect to ${app.name}`,
        html`<h1>Connect a service to ${app.name}</h1>
<div class="card">${list.length > 0 ? html`<ul class="choices">${list}</ul>` : html`<p>${app.name} has no services yet.</p>`}</div>
<p class="soft">${app.name} never sees your password.</p>`,
        { narrow: true },
      ),
    )
  },
})
