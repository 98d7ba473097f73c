import type { TypedProblem, TypedPrompt } from '#flows/sign-in/typed-sign-in.ts'
import { sharesOf } from '#identity/offers.ts'
import type { TypedField } from '#kit/auth/typed.ts'
import { MAX_TYPED_CHARS, type TypedFault } from '#kit/auth/typed-values.ts'
import { sharesList } from './connect.ts'
import { fieldHtml, fieldText } from './field-text.ts'
import { filePage, fileProblem } from './file.ts'
import { type Html, html } from './html.ts'
import type { Language } from './languages/languages.ts'
import { TEXTS } from './languages/sign-in/index.ts'
import { type Speaker, speaker } from './languages/speak.ts'
import { type PersonPage, serviceTile } from './person-page.ts'

type Say = Speaker<(typeof TEXTS)['en']>

/** Names of the form's fields, apart from those of the page itself. */
export const FIELD_PREFIX = 'field_'

/** Asks for what a service requires. Secrets are never written into it, also not after an error. */
export function typedPage(prompt: TypedPrompt, language: Language, nowMs: number): PersonPage {
  const { app, connector, state, fields, faults, problem, goesOn, to, expiresAt } = prompt
  const speak = speaker(TEXTS, language)
  if (connector.auth.kind === 'file')
    return filePage(prompt, language, problem && sentenceOf(prompt, problem, speak, nowMs))
  const { say, plain, time } = speak
  const values = { service: connector.title, app: app.name }
  const title = plain('title', values)
  const names = Object.keys(fields)
  const focused = names.find((name) => Object.hasOwn(faults, name)) ?? names.find((name) => isEmpty(prompt, name))
  const hasFault = problem !== undefined || Object.keys(faults).length > 0
  const body = html`<h1>${say('title', values)}</h1>
<div class="card">
<div class="who">${serviceTile(connector.service)}<p><strong><bdi>${connector.title}</bdi></strong></p></div>
${problem !== undefined && html`<p class="warn" role="alert">${sentenceOf(prompt, problem, speak, nowMs)}</p>`}
<form method="post" action="/oauth/typed">
<input type="hidden" name="state" value="${state}">
${names.map((name) => fieldOf(prompt, speak, name, name === focused))}
<p class="row"><button name="answer" value="yes">${goesOn ? say('continue') : say('connect')}</button> <button class="quiet" name="answer" value="no" formnovalidate>${say('cancel')}</button></p>
</form>
${sharesList(language, app, sharesOf(connector, undefined))}
<p class="soft">${promiseOf(prompt, speak)} ${say('until', { time: time(expiresAt) })}</p>
</div>`
  return { language, app, toward: to.redirectUri, title: hasFault ? plain('errorTitle', { title }) : title, body }
}

function promiseOf({ app, connector, goesOn, isPublic }: TypedPrompt, { say }: Say): Html {
  if (goesOn) return say('promiseGoesOn', { app: app.name })
  if (isPublic) return say('promisePublic', { app: app.name })
  return say('promiseSecret', { app: app.name, service: connector.title })
}

function fieldOf({ fields, values, faults }: TypedPrompt, speak: Say, name: string, isFocused: boolean): Html {
  const field = fields[name]!
  const { say, language } = speak
  const id = `${FIELD_PREFIX}${name}`
  const fault = Object.hasOwn(faults, name) ? faults[name] : undefined
  const described = [
    ...(field.hint === undefined ? [] : [`${id}-hint`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ].join(' ')
  const label = fieldHtml(field.title, language)
  return html`<p class="field"><label for="${id}">${field.optional === true ? html`${label} ${say('optional')}` : label}</label>
${field.hint !== undefined && html`<span class="soft" id="${id}-hint">${fieldHtml(field.hint, language)}</span>`}
${fault !== undefined && html`<span class="fault" id="${id}-fault">${faultSentence(speak, field, fault)}</span>`}
<input id="${id}" name="${id}" dir="ltr" type="${field.secret === true ? 'password' : 'text'}" value="${field.secret === true ? '' : (values[name] ?? '')}" autocomplete="${autocompleteOf(name, field)}" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="${MAX_TYPED_CHARS}"${(field.format === 'address' || field.format === 'url') && html` inputmode="url"`}${field.optional !== true && html` required`}${fault !== undefined && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}${isFocused && html` autofocus`}>
${field.help !== undefined && html`<a href="${field.help}" target="_blank" rel="noreferrer noopener">${say('where')}</a>`}</p>`
}

function autocompleteOf(name: string, { autocomplete, secret, format }: TypedField): string {
  if (autocomplete !== undefined) return autocomplete
  if (secret === true) return 'current-password'
  if (format === 'address' || format === 'url') return 'url'
  return /^(user|name|login|handle|username)$/.test(name) ? 'username' : 'off'
}

const isEmpty = ({ values }: TypedPrompt, name: string): boolean => (values[name] ?? '') === ''

function faultSentence({ say, language }: Say, { title }: TypedField, fault: TypedFault): Html {
  const field = fieldText(title, language)
  switch (fault) {
    case 'empty':
      return say('faultEmpty', { field })
    case 'long':
      return say('faultLong', { field })
    case 'address':
      return say('faultAddress')
    case 'host':
      return say('faultHost')
    case 'shape':
      return say('faultShape')
    default:
      return fault satisfies never
  }
}

function sentenceOf(prompt: TypedPrompt, problem: TypedProblem, speak: Say, nowMs: number): Html {
  const { connector, app, to, goesOn, isPublic } = prompt
  const { say, list, language } = speak
  const service = connector.title
  const fields = list(Object.values(prompt.fields).map(({ title }) => fieldText(title, language)))
  switch (problem.kind) {
    case 'refused':
      return isPublic ? say('refusedPublic', { fields }) : say('refused', { service, fields })
    case 'unreachable':
      return isPublic ? say('unreachablePublic') : say('unreachable', { service })
    case 'not_there':
      return goesOn ? say('notThereSite', { service, fields }) : say('notThere', { fields })
    case 'other_user':
      return say('otherUser', { profile: to.reconnect?.profile ?? service, app: app.name })
    case 'too_many':
      return say('tooMany', { count: Math.max(1, Math.ceil((problem.until - nowMs) / 60_000)) })
    case 'file':
      return fileProblem(language, problem.problem)
    default:
      return problem satisfies never
  }
}
