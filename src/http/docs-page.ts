import { REASONS } from '#model/errors.ts'
import { API_GROUPS } from './api-groups.ts'
import { NOT_MODIFIED } from './description/other-responses.ts'
import { sendFixed } from './fixed-text.ts'
import { type Html, html } from './pages/html.ts'
import { PAGE_POLICY, page } from './pages/layout.ts'
import { route } from './route.ts'

interface Field {
  description?: string
  type?: string | string[]
  enum?: unknown[]
  default?: unknown
}

interface Operation {
  tags: string[]
  summary: string
  security?: Record<string, unknown>[]
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Field }[]
  requestBody?: {
    content: Record<string, { schema: { properties?: Record<string, Field>; required?: string[] } }>
  }
  responses: Record<string, { description?: string; $ref?: string }>
}

type Listed = [method: string, path: string, operation: Operation]

const CALLERS: Record<string, string> = {
  admin: 'the admin token',
  token: 'an access token',
  app: 'client_id and client_secret',
}

export const docsPage = route({
  auth: 'browser',
  summary: 'Show the API reference',
  type: 'text/html',
  headers: ['ETag'],
  also: NOT_MODIFIED,
  run: async (_deps, { request, reply }) => {
    void reply.header('content-security-policy', PAGE_POLICY)
    return sendFixed(request, reply, 'text/html; charset=utf-8', () => {
      const { paths } = request.server.describe() as { paths: Record<string, Record<string, Operation>> }
      return page('API reference · Tributary', reference(paths), { wide: true })
    })
  },
})

function reference(paths: Record<string, Record<string, Operation>>): Html {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Listed => [method, path, operation]),
  )
  const groups = API_GROUPS.map((group) => ({
    ...group,
    listed: all.filter(([, , { tags }]) => tags[0] === group.name),
  }))
  return html`<h1>API reference</h1>
<p>Every path is also served under <code>/v0</code>. The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<nav class="card"><table>${groups.map(({ name, about }) => html`<tr><td><a href="#${anchor(name)}">${name}</a></td><td>${about}</td></tr>`)}
<tr><td><a href="#reasons">Reasons</a></td><td>Every error and its status.</td></tr></table></nav>
${groups.map(
  ({ name, about, listed }) => html`<h2 id="${anchor(name)}">${name}</h2>
<p class="soft">${about}</p>
<div class="card">${listed.map(([method, path, operation]) => entry(method, path, operation))}</div>`,
)}
<h2 id="reasons">Reasons</h2>
<p>An error is <code>{"error", "code", "reason", "param"?, "see", "request_id"}</code>. Reasons and codes are stable; sentences may change.</p>
<div class="card"><table>${Object.entries(REASONS).map(([reason, [status, number, text]]) => html`<tr id="${reason}"><td><code>${reason}</code></td><td>${status}</td><td>${status * 100 + number}</td><td>${text}</td></tr>`)}</table></div>`
}

function entry(method: string, path: string, operation: Operation): Html {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  const fields = [
    ...operation.parameters.map(({ name, in: where, required, description, schema }) =>
      row(name, where, required, { ...schema, ...(description === undefined ? {} : { description }) }),
    ),
    ...Object.entries(body?.properties ?? {}).map(([name, field]) =>
      row(name, 'body', body?.required?.includes(name) ?? false, field),
    ),
  ]
  const callers = (operation.security ?? []).flatMap((each) => Object.keys(each).map((name) => CALLERS[name]))
  return html`<details>
<summary><span class="method">${method.toUpperCase()}</span> <code>${path}</code> <span class="soft">${operation.summary}</span></summary>
${callers[0] !== undefined && html`<p class="soft">Needs ${callers[0]}.</p>`}
${fields.length > 0 && html`<table>${fields}</table>`}
<table>${Object.entries(operation.responses).map(([status, { description, $ref }]) => html`<tr><td><code>${status}</code></td><td>${(description ?? $ref?.split('/').at(-1))?.replaceAll('`', '')}</td></tr>`)}</table>
</details>`
}

function row(name: string, where: string, required: boolean, field: Field): Html {
  const values = field.enum?.map(String).join(' | ') ?? [field.type ?? []].flat().join(' or ')
  const notes = [
    where,
    values,
    required && 'required',
    field.default !== undefined && `default ${JSON.stringify(field.default)}`,
  ]
  return html`<tr><td><code>${name}</code><br><span class="soft">${notes.filter(Boolean).join(', ')}</span></td><td>${field.description}</td></tr>`
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}
