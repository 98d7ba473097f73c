import type { ApiError } from '#model/errors.ts'
import { type Html, html } from './html.ts'
import { TEXTS } from './languages/errors/index.ts'
import type { Language } from './languages/languages.ts'
import { speaker } from './languages/speak.ts'
import type { PersonPage } from './person-page.ts'

/** What the page says about one refused request. */
export interface ErrorView {
  refusal: ApiError
  requestId: string
  /** Method and path, without the query. */
  request: string
  docs: string
  /** Registered addresses that this browser may see, out of how many. */
  registered: readonly string[]
  /** How to run our commands here. */
  program: string
  /** The app that this browser came from, if that is known. */
  back: AppLink | undefined
}

export interface AppLink {
  name: string
  /** The start page of the app; undefined for apps that are not on the web. */
  url: string | undefined
}

/** Limit: characters of a value that the error page repeats; the rest is cut off. */
const MAX_SHOWN = 300

/** For the person, a sentence and a way on in their language; for the developer of the app, everything that is known, in English. */
export function errorPage(view: ErrorView, language: Language): PersonPage {
  const { refusal } = view
  const { say, plain } = speaker(TEXTS, language)
  const { title, text } = wordsFor(refusal, language)
  const body = html`<h1>${say(title)}</h1>
<div class="card"><p>${text}</p>
${wayOn(view, language)}</div>
${details(view)}`
  return { language, title: `${plain(title)} · Tributary`, body }
}

/** Requests that only the app's developer can repair. The person is not told what a parameter is. */
function wordsFor({ reason, status, help }: ApiError, language: Language): { title: ErrorTitle; text: Html } {
  const { say } = speaker(TEXTS, language)
  if (status === 404) return { title: 'notFoundTitle', text: say('notFound') }
  if (status === 405) return { title: 'programsTitle', text: say('programs') }
  if (status >= 500) return { title: 'failedTitle', text: say('failed') }
  if (reason === 'session_expired' || reason === 'link_invalid') return { title: 'title', text: say(reason) }
  if (status === 429) return { title: 'title', text: say('tooMany') }
  const text = help?.app === undefined ? say('faultOfUnknownApp') : say('faultOfApp', { app: help.app.name })
  return { title: 'title', text }
}

type ErrorTitle = 'title' | 'notFoundTitle' | 'programsTitle' | 'failedTitle'

function wayOn({ refusal: { status }, back }: ErrorView, language: Language): Html {
  const { say } = speaker(TEXTS, language)
  if (back?.url !== undefined)
    return html`<p class="row"><a class="button" href="${back.url}">${say('back', { app: back.name })}</a></p>`
  if (status === 404 || status === 405) return html`<p class="row"><a class="button" href="/">${say('start')}</a></p>`
  return html`<p>${say('backUnknown')}</p>`
}

function details({ refusal, requestId, request, docs, registered, program }: ErrorView): Html {
  const { help, param } = refusal
  const rows: [name: string, value: Html][] = [
    ['Reason', html`<a href="${docs}"><code>${refusal.reason}</code></a>`],
    ['What is wrong', html`${cut(refusal.message.replaceAll('`', ''))}`],
    ['Request', html`<code>${cut(request)}</code>`],
    ...(param === undefined ? [] : [['Parameter', html`<code>${cut(param)}</code>`] satisfies [string, Html]]),
    ...Object.entries(help?.sent ?? {}).map(([name, value]): [string, Html] => [
      `Sent as ${name}`,
      html`<code>${cut(value)}</code>`,
    ]),
    ...(help?.registered === undefined ? [] : [registeredRow(registered, help.registered.length)]),
    ['Request id', html`<code>${requestId}</code>`],
  ]
  const command = commandFor(refusal, registered, program)
  return html`<details class="card" lang="en" dir="ltr"><summary>For the developer of the app</summary>
<table>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</table>
${command !== undefined && html`<p>What helps:</p><pre>${command}</pre>`}
<p><a href="${docs}">About this error</a></p></details>`
}

function registeredRow(shown: readonly string[], total: number): [string, Html] {
  const hidden = total - shown.length
  const rest =
    hidden === 0
      ? ''
      : `${shown.length === 0 ? '' : 'and '}${hidden} on other hosts, which are shown only to browsers on the server’s own machine.`
  return ['Registered', html`${shown.map((each) => html`<code>${cut(each)}</code><br>`)}${rest}`]
}

function commandFor({ reason, help }: ApiError, registered: readonly string[], program: string): string | undefined {
  if (reason === 'client_unknown') return `${program} app list`
  if (reason !== 'redirect_unregistered' || help?.app === undefined) return undefined
  const sent = help.sent?.['redirect_uri']
  if (sent === undefined || sent.length > MAX_SHOWN) return `${program} app show ${help.app.id}`
  const option = help.isAgent === true ? '--agent-redirect-uri' : '--redirect-uri'
  const all = [...registered, sent].map((each) => `${option} ${quoted(each)}`).join(' ')
  const isComplete = registered.length === help.registered?.length
  const change = `${program} app set ${help.app.id} ${all}`
  return isComplete
    ? change
    : `${program} app show ${help.app.id}\n# The addresses given replace all, so repeat those that stay:\n${change}`
}

/** For a shell: what somebody else chose must not become a second command. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}
