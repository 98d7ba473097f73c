import type { AskFault, AskPrompt } from '#flows/sign-in/ask.ts'
import { sharesOf } from '#identity/offers.ts'
import type { AskField } from '#kit/auth/ask.ts'
import { sharesList } from './connect.ts'
import { fieldHtml } from './field-text.ts'
import { type Html, html } from './html.ts'
import type { Language } from './languages/languages.ts'
import { TEXTS } from './languages/sign-in/index.ts'
import { type Speaker, speaker } from './languages/speak.ts'
import { type PersonPage, serviceTile } from './person-page.ts'

type Say = Speaker<(typeof TEXTS)['en']>

/** Asks the person where they sign in. Works without scripts; a mistake is told beside its field. */
export function askPage(prompt: AskPrompt, language: Language): PersonPage {
  const { ticket, app, connector, ask, faults, scope, to, expiresAt, inLink } = prompt
  const speak = speaker(TEXTS, language)
  const { say, plain, time } = speak
  const values = { service: connector.title, app: app.name }
  const names = Object.keys(ask)
  const focused = names.find((name) => faults[name] !== undefined) ?? names[0]
  const title = plain('title', values)
  const body = html`<h1>${say('title', values)}</h1>
<div class="card">
<div class="who">${serviceTile(connector.service)}<p><strong><bdi>${connector.title}</bdi></strong></p></div>
${inLink !== undefined && html`<p role="status">${say('askLink', { server: inLink })}</p>`}
<form method="post" action="/oauth/ask" novalidate>
<input type="hidden" name="ticket" value="${ticket}">
${names.map((name) => fieldOf(prompt, speak, name, name === focused))}
<p class="row"><button name="answer" value="yes">${say('continue')}</button> <button class="quiet" name="answer" value="no">${say('decline')}</button></p>
</form>
${sharesList(language, app, sharesOf(connector, scope))}
<p class="soft">${say('askPromise', { app: app.name })} ${say('until', { time: time(expiresAt) })}</p>
</div>`
  const hasFault = Object.keys(faults).length > 0
  return { language, app, toward: to.redirectUri, title: hasFault ? plain('errorTitle', { title }) : title, body }
}

function fieldOf(
  { ask, given, faults, connector }: AskPrompt,
  speak: Say,
  name: string,
  isFocused: boolean,
): Html | false {
  const field = ask[name]
  if (field === undefined) return false
  const { say, language } = speak
  const fault = faults[name]
  const id = `ask-${name}`
  const described = [`${id}-hint`, ...(fault === undefined ? [] : [`${id}-fault`])].join(' ')
  const label = fieldHtml(field.title, language)
  const isRequired = field.optional !== true && field.default === undefined
  const attributes = html` aria-describedby="${described}"${fault !== undefined && html` aria-invalid="true"`}${isFocused && html` autofocus`}${isRequired && html` required`}`
  return html`<p class="field"><label for="${id}">${field.optional === true ? html`${label} ${say('optional')}` : label}</label>
<span class="soft" id="${id}-hint">${field.hint !== undefined && html`${fieldHtml(field.hint, language)} `}${say('example', { example: field.example })}</span>
${fault !== undefined && html`<span class="fault" id="${id}-fault" role="alert">${sentenceOf(speak, fault, field.example, connector.title)}</span>`}
${controlOf(field, { id, name, given: given[name] ?? field.default ?? '' }, attributes)}</p>`
}

/** A list where there are choices; otherwise a text, with what stands before and after it. */
function controlOf(
  { of, prefix, suffix, optional }: AskField,
  { id, name, given }: { id: string; name: string; given: string },
  attributes: Html,
): Html {
  if (of !== undefined)
    return html`<select id="${id}" name="field_${name}" dir="ltr"${attributes}>
${(optional === true || !of.includes(given)) && html`<option value=""></option>`}
${of.map((each) => html`<option value="${each}"${each === given && html` selected`}>${each}</option>`)}
</select>`
  const input = html`<input id="${id}" name="field_${name}" type="text" dir="ltr" value="${given}" maxlength="300" autocapitalize="none" autocorrect="off" autocomplete="off" spellcheck="false"${attributes}>`
  if (prefix === undefined && suffix === undefined) return input
  return html`<span class="affixed" dir="ltr"><span>${prefix ?? ''}</span>${input}<span>${suffix ?? ''}</span></span>`
}

function sentenceOf({ say }: Say, fault: AskFault, example: string, service: string): Html {
  switch (fault) {
    case 'format':
      return say('faultFormat', { example })
    case 'person':
      return say('faultPerson')
    case 'capacity':
      return say('faultCapacity')
    case 'silent':
      return say('faultSilent')
    case 'other':
      return say('faultOther', { service })
    default:
      return fault satisfies never
  }
}
