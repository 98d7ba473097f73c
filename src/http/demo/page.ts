import { z } from 'zod'
import { flag } from '#model/input/input.ts'
import { type Html, html } from '../pages/html.ts'
import { page, sendPage } from '../pages/layout.ts'
import { text } from '../request/parameters.ts'
import { route } from '../server/route.ts'
import { sendBuiltPage } from '../site/web-app.ts'
import { commandsFor } from './commands.ts'
import { isExposed } from './exposed.ts'
import { openSession, requireDemo, type ShownService, shownServices } from './session.ts'

/** The demo app of `web/`; where that is not built, or with `plain`, a page without scripts: connect, and commands that show something. */
export const demoPage = route({
  auth: 'browser',
  summary: 'Show the demo',
  type: 'text/html',
  query: z.object({
    plain: flag('The page without scripts.'),
    error: text('Why the last sign-in failed.').optional(),
    error_description: text('The same in a sentence.', 4000).optional(),
  }),
  reasons: ['not_found'],
  run: async (deps, { query, request, reply }) => {
    requireDemo(deps)
    const built = query.plain ? undefined : await sendBuiltPage(deps, 'demo', request, reply)
    if (built !== undefined) return built
    const session = await openSession(deps, request)
    const services = await shownServices(deps, session?.account)
    const connected = services.filter((one) => one.connected)
    return sendPage(
      reply,
      page(
        'Demo · Tributary',
        html`<h1>${connected.length > 0 ? 'Connected' : 'See what your app would get'}</h1>
${failureOf(query)}
${isExposed(deps, request) ? exposure() : undefined}
${connected.length < services.length ? startCard() : undefined}
<div class="card"><h2>${session === undefined ? 'Or choose a service and a person' : 'Services'}</h2>
<ul class="choices">${services.map(choice)}</ul></div>
${session === undefined ? undefined : connected.map((one) => commandCard(deps.config.baseUrl, session.token, one))}
<p class="soft">In your own app the code goes to your server, which redeems it with the client secret; the token never shows up in a browser.
Everything else is in the <a href="/docs">API reference</a>.</p>`,
      ),
    )
  },
})

function failureOf(query: { error?: string | undefined; error_description?: string | undefined }): Html | undefined {
  return query.error === undefined
    ? undefined
    : html`<div class="card warn" role="alert"><p><strong>Not connected.</strong> ${query.error_description}</p>
<p class="soft"><code>${query.error}</code></p></div>`
}

function exposure(): Html {
  return html`<div class="card warn"><p><strong>Others can reach this demo.</strong> Everybody who does shares its services, so its controls are off. Enter nothing here that is not for everybody.</p></div>`
}

function startCard(): Html {
  return html`<div class="card"><p>Ada uses three services: photos and posts, short statuses, workouts and heart rates. They run on this server, and nothing leaves it.</p>
<form method="post" action="/demo/start"><p class="row"><button>Connect Ada’s three services</button></p></form></div>`
}

function choice({ service, title, summary, connected }: ShownService): Html {
  return html`<li><a href="/demo/connect?service=${service}"><span>${title}${connected ? ' · connected' : ''}<br><span class="soft">${summary}</span></span></a></li>`
}

function commandCard(baseUrl: string, token: string, { service, title }: ShownService): Html {
  return html`<div class="card"><h2>${title}</h2>${commandsFor(service).map(
    ({ shows, path }) =>
      html`<p>${shows}</p><pre tabindex="0">curl -s '${baseUrl}${path}' -H 'authorization: Bearer ${token}' | jq</pre>`,
  )}</div>`
}
