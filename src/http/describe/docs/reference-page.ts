import { AUTHORIZE_ERRORS } from '#identity/errors.ts'
import { REASONS } from '#model/errors.ts'
import { type Html, html } from '../../pages/html.ts'
import { inlineCode } from './inline-code.ts'
import { LOG_REASONS } from './log-reasons.ts'
import {
  anchorOf,
  CALLERS,
  type FieldRow,
  fieldRows,
  parameterRow,
  type Reference,
  type ShownOperation,
  type ShownResponse,
  type ShownSchema,
  type TypePart,
  typeParts,
} from './reference.ts'
import { curlExample, javascriptExample } from './request-examples.ts'

/** The API reference as a page. */
export function referenceHtml({ baseUrl, groups, schemas }: Reference): Html {
  return html`<h1>API reference</h1>
<p>Every path is also served under <code>/v0</code>. The same as <a href="/openapi.json">OpenAPI 3.1</a>, as <a href="/docs.md">markdown</a>, and for agents as <a href="/llms.txt">llms.txt</a>.</p>
<nav class="card"><table>${groups.map(({ name, about }) => html`<tr><td><a href="#${anchorOf(name)}">${name}</a></td><td>${about}</td></tr>`)}
<tr><td><a href="#reasons">Reasons</a></td><td>Every error and its status.</td></tr>
<tr><td><a href="#sign-in-errors">Errors of a sign-in</a></td><td>What returns to the app instead of a code.</td></tr>
<tr><td><a href="#log-reasons">Reasons in the log</a></td><td>Why sign-ins, syncs and deliveries did not work.</td></tr>
<tr><td><a href="#schemas">Schemas</a></td><td>The objects that requests and responses contain.</td></tr></table></nav>
<section class="card" id="credentials" hidden><h2>Credentials for “Try it”</h2>
<p class="soft">They stay on this page: they are sent only in the header of a request that you send, and are gone when you leave.</p>
${credential('access-token', 'Access token')}${credential('client-id', 'client_id')}${credential('client-secret', 'client_secret')}${credential('admin-token', 'Admin token')}</section>
${groups.map(
  ({ name, about, operations }) => html`<h2 id="${anchorOf(name)}">${name}</h2>
<p class="soft">${about}</p>
<div class="card">${operations.map((operation) => entry(baseUrl, operation))}</div>`,
)}
<h2 id="reasons">Reasons</h2>
<p>An error is an <a href="#schema-Error">Error</a>. Reasons and codes are stable; sentences may change.</p>
<div class="card"><table>${Object.entries(REASONS).map(([reason, [status, number, text]]) => html`<tr id="${reason}"><td><a href="#${reason}"><code>${reason}</code></a></td><td>${status}</td><td>${status * 100 + number}</td><td>${inlineCode(text)}</td></tr>`)}</table></div>
<h2 id="sign-in-errors">Errors of a sign-in</h2>
<p>They return to the app by redirect, as <code>error</code>, with a sentence for developers in <code>error_description</code>.</p>
<div class="card"><table>${Object.entries(AUTHORIZE_ERRORS).map(([name, text]) => html`<tr id="sign-in-${name}"><td><a href="#sign-in-${name}"><code>${name}</code></a></td><td>${inlineCode(text)}</td></tr>`)}</table></div>
<h2 id="log-reasons">Reasons in the log</h2>
<p>Why an operation did not work, where <code>GET /admin/apps/:client_id/log</code> says more than the caller learned. A proxied call has the status of the service: <code>http_404</code>.</p>
<div class="card"><table>${Object.entries(LOG_REASONS).map(([name, text]) => html`<tr id="log-${name}"><td><a href="#log-${name}"><code>${name}</code></a></td><td>${inlineCode(text)}</td></tr>`)}</table></div>
<h2 id="schemas">Schemas</h2>
<div class="card">${schemas.map(([name, schema]) => schemaEntry(name, schema))}</div>
<script src="/docs/try-it.js" defer></script>`
}

function credential(id: string, label: string): Html {
  return html`<p class="field"><label for="${id}">${label}</label><input id="${id}" type="password" autocomplete="off" spellcheck="false"></p>`
}

function entry(baseUrl: string, operation: ShownOperation): Html {
  const { id, method, path, summary, caller, parameters, body, responses } = operation
  const rows = [...parameters.map(parameterRow), ...(body === undefined ? [] : fieldRows(body.schema).map(inBody))]
  const tried = {
    method,
    path,
    caller,
    parameters: parameters.map(({ name, in: where, required, example }) => ({ name, in: where, required, example })),
    body: body?.example,
  }
  return html`<details id="${id}">
<summary><span class="method">${method}</span> <code>${path}</code> <span class="soft">${inlineCode(summary)}</span></summary>
<p class="soft"><a href="#${id}">${id}</a>${caller !== undefined && html` · needs ${CALLERS[caller]}`}</p>
${rows.length > 0 && html`<h3>Request</h3><table>${rows.map(fieldRow)}</table>`}
${body !== undefined && rows.every(({ where }) => where !== 'body') && html`<p>Body: ${types(typeParts(body.schema))}</p>`}
<pre tabindex="0">${curlExample(baseUrl, operation)}</pre>
<pre tabindex="0">${javascriptExample(baseUrl, operation)}</pre>
<h3>Response</h3>
<table>${responses.map(([status, response]) => responseRow(status, response))}</table>
${exampleOf(responses)}
<p><button type="button" class="quiet" hidden data-try="${JSON.stringify(tried)}">Try it</button></p>
</details>`
}

function inBody(row: FieldRow): FieldRow {
  return { ...row, where: 'body' }
}

function fieldRow({ name, where, required, type, default: fallback, description }: FieldRow): Html {
  return html`<tr><td><code>${name}</code>${required && html` <strong>required</strong>`}<br><span class="soft">${where !== undefined && `${where}, `}${types(type)}${fallback !== undefined && `, default ${JSON.stringify(fallback)}`}</span></td><td>${inlineCode(description)}</td></tr>`
}

function types(parts: readonly TypePart[]): Html {
  return html`${parts.map((part) => (typeof part === 'string' ? part : html`<a href="#schema-${part.schema}">${part.schema}</a>`))}`
}

function responseRow(status: string, response: ShownResponse): Html {
  const reasons = response['x-reasons']
  const media = Object.entries(response.content ?? {})
  const headers = Object.keys(response.headers ?? {}).filter((name) => name !== 'X-Request-Id')
  const what =
    reasons === undefined
      ? html`${inlineCode(response.description)} ${media.map(([type, { schema = {} }]) => html`<br><span class="soft">${type}: ${types(typeParts(schema))}</span>`)}`
      : html`${reasons.map((reason) => html`<a href="#${reason}"><code>${reason}</code></a> `)}`
  return html`<tr><td><code>${status}</code></td><td>${what}${headers.length > 0 && html`<br><span class="soft">headers: ${headers.join(', ')}</span>`}</td></tr>`
}

function exampleOf(responses: ShownOperation['responses']): Html | false {
  const found = responses
    .filter(([, response]) => response['x-reasons'] === undefined)
    .map(([, { content }]) => content?.['application/json']?.example)
    .find((example) => example !== undefined)
  return found !== undefined && html`<pre tabindex="0">${JSON.stringify(found, null, 2)}</pre>`
}

function schemaEntry(name: string, schema: ShownSchema): Html {
  const rows = fieldRows(schema)
  return html`<details id="schema-${name}">
<summary><code>${name}</code> <span class="soft">${inlineCode(schema.description ?? '')}</span></summary>
${rows.length > 0 ? html`<table>${rows.map(fieldRow)}</table>` : html`<p>${types(typeParts(schema))}</p>`}
</details>`
}
