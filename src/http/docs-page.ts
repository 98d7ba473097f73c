import { REASONS } from '#model/errors.ts'
import { type Html, html } from './pages/html.ts'
import { page, sendPage } from './pages/layout.ts'
import { route } from './route.ts'

interface Operation {
  summary: string
  parameters: { name: string; in: string; required: boolean; description?: string; schema: unknown }[]
  requestBody?: {
    content: Record<string, { schema: { properties?: Record<string, { description?: string }>; required?: string[] } }>
  }
  responses: Record<string, { description: string }>
}

export const docsPage = route({
  door: 'page',
  summary: 'The API reference, written from the schemas that check requests',
  type: 'text/html',
  run: async (_house, { request, reply }) => {
    const { paths } = request.server.describe() as { paths: Record<string, Record<string, Operation>> }
    return sendPage(reply, page('API reference · Tributary', reference(paths), { wide: true }))
  },
})

function reference(paths: Record<string, Record<string, Operation>>): Html {
  const cards = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => card(method, path, operation)),
  )
  return html`<h1>API reference</h1>
<p>Every path also answers under <code>/v0</code>. The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
${cards}
<h2 id="reasons">Reasons</h2>
<p>A refusal is <code>{"error", "reason", "request_id"}</code>; the reason never changes its name.</p>
<div class="card"><table>${Object.entries(REASONS).map(([reason, [status, text]]) => html`<tr><td><code>${reason}</code></td><td>${status}</td><td>${text}</td></tr>`)}</table></div>`
}

function card(method: string, path: string, operation: Operation): Html {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  const fields = [
    ...operation.parameters.map(({ name, required, description }) => row(name, required, description)),
    ...Object.entries(body?.properties ?? {}).map(([name, { description }]) =>
      row(name, body?.required?.includes(name) ?? false, description),
    ),
  ]
  return html`<div class="card">
<p><span class="method">${method.toUpperCase()}</span> <code>${path}</code><br>${operation.summary}</p>
${fields.length > 0 && html`<table>${fields}</table>`}
<p class="soft">Answers ${Object.keys(operation.responses).join(', ')}</p>
</div>`
}

function row(name: string, required: boolean, description: string | undefined): Html {
  return html`<tr><td><code>${name}</code>${required && html` <span class="soft">required</span>`}</td><td>${description}</td></tr>`
}
