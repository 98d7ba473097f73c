import type { TypedProblem, TypedPrompt } from '#flows/authorize/typed-sign-in.ts'
import type { TypedField } from '#kit/typed.ts'
import { MAX_TYPED_CHARS } from '#kit/typed-values.ts'
import { type Html, html } from './html.ts'
import { page } from './layout.ts'

/** Names of the form's fields, apart from those of the page itself. */
export const FIELD_PREFIX = 'field_'

/** Asks for what a service requires. Secrets are never written into it, also not after an error. */
export function typedPage(prompt: TypedPrompt): string {
  const { app, title, state, fields, faults, problem, goesOn, expiresAt } = prompt
  const heading = `Connect ${title} to ${app.name}`
  const until = new Date(expiresAt).toISOString()
  const names = Object.keys(fields)
  const focused = names.find((name) => Object.hasOwn(faults, name)) ?? names.find((name) => isEmpty(prompt, name))
  const hasFault = problem !== undefined || Object.keys(faults).length > 0
  return page(
    hasFault ? `Error: ${heading}` : heading,
    html`<h1>${heading}</h1>
<div class="card">
${problem !== undefined && html`<p class="warn" role="alert">${sentenceOf(prompt, problem)}</p>`}
<form method="post" action="/oauth/typed">
<input type="hidden" name="state" value="${state}">
${names.map((name) => fieldOf(prompt, name, name === focused))}
<p class="row"><button name="answer" value="yes">${goesOn ? 'Continue' : 'Connect'}</button> <button class="quiet" name="answer" value="no" formnovalidate>Cancel</button></p>
</form>
<p class="soft">${promiseOf(prompt)}</p>
<p class="soft">This page works until <time datetime="${until}">${until.slice(11, 16)} UTC</time>.</p>
</div>`,
    { narrow: true },
  )
}

function promiseOf({ app, title, goesOn, isPublic }: TypedPrompt): string {
  if (goesOn) return `You will be asked there whether ${app.name} may have access. Until then, nothing is connected.`
  if (isPublic) return `${app.name} will read what is public there. No password is needed.`
  return `What you type is sent to ${title}, stored encrypted, and used only to read your ${title} for ${app.name}.`
}

function fieldOf({ fields, values, faults }: TypedPrompt, name: string, isFocused: boolean): Html {
  const field = fields[name]!
  const id = `${FIELD_PREFIX}${name}`
  const fault = Object.hasOwn(faults, name) ? faults[name] : undefined
  const described = [
    ...(field.hint === undefined ? [] : [`${id}-hint`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ].join(' ')
  return html`<p class="field"><label for="${id}">${field.title}${field.optional === true && ' (optional)'}</label>
${field.hint !== undefined && html`<span class="soft" id="${id}-hint">${field.hint}</span>`}
${fault !== undefined && html`<span class="fault" id="${id}-fault">${fault}</span>`}
<input id="${id}" name="${id}" type="${field.secret === true ? 'password' : 'text'}" value="${field.secret === true ? '' : (values[name] ?? '')}" autocomplete="${autocompleteOf(name, field)}" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="${MAX_TYPED_CHARS}"${(field.format === 'address' || field.format === 'url') && html` inputmode="url"`}${field.optional !== true && html` required`}${fault !== undefined && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}${isFocused && html` autofocus`}>
${field.help !== undefined && html`<a href="${field.help}" target="_blank" rel="noreferrer noopener">Where do I find this?</a>`}</p>`
}

function autocompleteOf(name: string, { autocomplete, secret, format }: TypedField): string {
  if (autocomplete !== undefined) return autocomplete
  if (secret === true) return 'current-password'
  if (format === 'address' || format === 'url') return 'url'
  return /^(user|name|login|handle|username)$/.test(name) ? 'username' : 'off'
}

const isEmpty = ({ values }: TypedPrompt, name: string): boolean => (values[name] ?? '') === ''

function sentenceOf({ title, app, fields, to, goesOn, isPublic }: TypedPrompt, problem: TypedProblem): string {
  const what = Object.values(fields).map((field) => field.title)
  switch (problem.kind) {
    case 'refused':
      if (isPublic) return `What is at this address cannot be read. Check ${listOf(what)} and try again.`
      return `${title} did not accept this. Check ${listOf(what)} and try again.`
    case 'unreachable':
      if (isPublic) return 'This address does not respond at the moment. Nothing was stored. Try again in a moment.'
      return `${title} does not respond at the moment. Nothing was stored. Try again in a moment.`
    case 'not_there':
      return goesOn
        ? `There is no ${title} at this address, or it does not let apps sign in. Check ${listOf(what)}.`
        : `There is nothing at this address. Check ${listOf(what)}.`
    case 'other_user':
      return `This is another user than ${to.reconnect?.profile ?? 'the one'} that ${app.name} wants to connect again.`
    case 'too_many': {
      const minutes = Math.ceil(problem.retryAfterS / 60)
      return `There were too many wrong attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`
    }
    default:
      return problem satisfies never
  }
}

function listOf(titles: string[]): string {
  const last = titles.at(-1) ?? ''
  return titles.length < 2 ? last : `${titles.slice(0, -1).join(', ')} and ${last}`
}
