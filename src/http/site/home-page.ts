import { DEMO_PAGE } from '#flows/operations/demo.ts'
import { type Html, html } from '../pages/html.ts'
import { page, sendPage } from '../pages/layout.ts'
import type { HttpDeps } from '../server/deps.ts'
import { route } from '../server/route.ts'

export const homePage = route({
  auth: 'browser',
  summary: 'Show the home page',
  type: 'text/html',
  run: async ({ version, config, demo }, { reply }) =>
    sendPage(
      reply,
      page(
        'Tributary',
        html`<h1>Tributary is running</h1>
<p class="soft">Version ${version}, at ${config.baseUrl}</p>
<div class="card">
<p>One service between your app and the services that its users use: sign-in, sync, search, proxy and push.</p>
<table>
<tr><td><a href="/docs">/docs</a></td><td>every path, parameter and response</td></tr>
<tr><td><a href="/openapi.json">/openapi.json</a></td><td>the same as OpenAPI 3.1, for tools</td></tr>
<tr><td><a href="/client">/client</a></td><td>the JavaScript client of this version, for <code>npm install</code></td></tr>
<tr><td><a href="/readyz">/readyz</a></td><td>database, migrations, key, queue</td></tr>
<tr><td><a href="/metrics">/metrics</a></td><td>for Prometheus</td></tr>
</table>
${invitation(demo())}
</div>`,
      ),
    ),
})

/** In the demo the page has a button to start with. */
function invitation(demo: ReturnType<HttpDeps['demo']>): Html | undefined {
  return demo && html`<p class="row"><a class="button" href="${DEMO_PAGE}">Open the demo</a></p>`
}
