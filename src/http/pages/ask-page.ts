import type { AskPrompt } from '#flows/authorize/ask.ts'
import { type Html, html } from './html.ts'
import { page } from './layout.ts'

type Field = AskPrompt['ask'][string]

/** Asks the person where they sign in. Works without scripts; a mistake is told beside its field. */
export function askPage({ ticket, app, service, ask, given, faults, expiresAt }: AskPrompt): string {
  const until = new Date(expiresAt).toISOString()
  const names = Object.keys(ask)
  const focused = names.find((name) => faults[name] !== undefined) ?? names[0]
  return page(
    `Connect ${service}`,
    html`<h1>Connect ${service} to ${app.name}</h1>
<div class="card">
<form method="post" action="/oauth/ask" novalidate>
<input type="hidden" name="ticket" value="${ticket}">
${names.map((name) => fieldOf(name, ask[name], given[name] ?? '', faults[name], name === focused))}
<p class="row"><button name="answer" value="yes">Continue</button> <button class="quiet" name="answer" value="no">No, go back</button></p>
</form>
<p class="soft">You sign in at the service itself: ${app.name} never sees your password. This page works for ten minutes, until <time datetime="${until}">${until.slice(11, 16)} UTC</time>.</p>
</div>`,
    { narrow: true },
  )
}

function fieldOf(
  name: string,
  field: Field | undefined,
  value: string,
  fault: string | undefined,
  isFocused: boolean,
): Html {
  if (field === undefined) return html``
  const id = `ask-${name}`
  const described = [`${id}-hint`, ...(fault === undefined ? [] : [`${id}-fault`])].join(' ')
  return html`<p class="field"><label for="${id}">${field.title}${field.optional === true && ' (optional)'}</label>
<span class="soft" id="${id}-hint">${field.hint !== undefined && `${field.hint} `}Example: ${field.example}</span>
${fault !== undefined && html`<span class="fault" id="${id}-fault" role="alert">${fault}</span>`}
<input id="${id}" name="field_${name}" type="text" value="${value}" maxlength="300" autocapitalize="none" autocorrect="off" autocomplete="off" spellcheck="false" aria-describedby="${described}"${fault !== undefined && html` aria-invalid="true"`}${isFocused && html` autofocus`}${field.optional !== true && html` required`}></p>`
}
