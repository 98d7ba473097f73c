import type { OpenConnections } from '#flows/connect/connections-session.ts'
import type { ConnectedAgent, Connection } from '#flows/connect/connections-view.ts'
import type { App } from '#model/apps/app.ts'
import { type Html, html } from './html.ts'
import { TEXTS as CONNECT } from './languages/connect/index.ts'
import { TEXTS } from './languages/connections/index.ts'
import { TEXTS as FILES } from './languages/files/index.ts'
import type { Language } from './languages/languages.ts'
import { speaker } from './languages/speak.ts'
import { type PersonPage, serviceTile } from './person-page.ts'

/** What the pages of an open session have in common. */
export interface ConnectionsView extends OpenConnections {
  language: Language
  /** Goes into every form. */
  form: string
  back: string | undefined
}

/** What was just done, said at the top of the page. */
export type Notice = { kind: 'ended' | 'reconnected'; service: string } | { kind: 'reconnectFailed' | 'agentEnded' }

export function connectionsPage(
  view: ConnectionsView,
  { connections, agents }: { connections: Connection[]; agents: ConnectedAgent[] },
  notice: Notice | undefined,
): PersonPage {
  const { language, app, session } = view
  const { say, plain, time } = speaker(TEXTS, language)
  const list = connections.map((each, i) => connectionCard(view, each, i))
  const body = html`<h1>${say('title', { app: app.name })}</h1>
${notice !== undefined && noticeText(notice, language)}
<p>${connections.length > 0 ? say('intro', { app: app.name }) : say('none', { app: app.name })}</p>
${list}
${agents.length > 0 && agentCards(view, agents)}
<h2>${say('dataTitle')}</h2>
<div class="card"><p class="soft">${say('downloadText')}</p>
<p class="row"><a class="button quiet" href="/connections/download" download>${say('download')}</a>
<a class="button quiet" href="/connections/delete">${say('deleteAll')}</a></p></div>
${backLink(view)}
<p class="soft">${say('until', { time: time(session.expiresAt), app: app.name })}</p>`
  return { language, title: plain('title', { app: app.name }), body, app }
}

function noticeText(notice: Notice, language: Language): Html {
  const { say } = speaker(TEXTS, language)
  const text = 'service' in notice ? say(notice.kind, { service: notice.service }) : say(notice.kind)
  return html`<p role="status" class="${notice.kind === 'reconnectFailed' ? 'warn' : 'done'}">${text}</p>`
}

function connectionCard({ language, app, form }: ConnectionsView, connection: Connection, index: number): Html {
  const { say, date, time } = speaker(TEXTS, language)
  const shared = speaker(CONNECT, language)
  const { profile, service, name, state, shares, scopes, connectedAt, syncedAt, isFile } = connection
  const title = titleOf(connection, language)
  const file = speaker(FILES, language)
  const read = syncedAt === undefined ? say('neverRead') : say('readOn', { date: date(syncedAt), time: time(syncedAt) })
  // A file does not work or fail: it was read once.
  const fileText =
    syncedAt === undefined ? file.say('waiting') : file.say('readOn', { date: date(syncedAt), time: time(syncedAt) })
  const stateText = isFile ? fileText : state === 'limited' ? say('limited', { service: title }) : say(state)
  const id = `connection-${index}`
  return html`<section class="card" aria-labelledby="${id}">
<div class="who">${serviceTile(service)}<div><h2 id="${id}">${title}</h2><p class="soft"><bdi>${name}</bdi></p></div></div>
${state === 'needs_auth' ? html`<p class="warn">${stateText}</p>` : html`<p>${stateText}</p>`}
${shares.length > 0 && html`<h3>${shared.say('shared', { app: app.name })}</h3><ul class="shares">${shares.map((each) => html`<li>${shared.say(each)}</li>`)}</ul>`}
<p class="soft">${say('connectedOn', { date: date(connectedAt) })}${!isFile && html` · ${read}`}</p>
${scopes !== undefined && scopes.length > 0 && html`<details class="soft"><summary>${say('permissions', { service: title })}</summary><p dir="ltr">${scopes.join(' · ')}</p></details>`}
<div class="row">
${state === 'needs_auth' && html`<form method="post" action="/connections/reconnect">${hidden(form)}<button name="profile" value="${profile}">${say('reconnect', { service: title })}</button></form>`}
<a class="button quiet" href="/connections/end?${new URLSearchParams({ profile }).toString()}">${say('end', { service: title })}</a>
</div></section>`
}

/** The name of a service is the same in every language; what files are called is not. */
const titleOf = ({ isFile, title }: Connection, language: Language): string =>
  isFile ? speaker(FILES, language).plain('service') : title

function agentCards({ language, app, form }: ConnectionsView, agents: ConnectedAgent[]): Html {
  const { say, date, list } = speaker(TEXTS, language)
  const cards = agents.map(
    ({ id, host, writes, createdAt }) => html`<div class="card"><h3><bdi>${host}</bdi></h3>
<p>${say('agentReads')}${writes.length > 0 && html` · ${say('agentWrites', { list: list(writes) })}`}</p>
<p class="soft">${say('agentSince', { date: date(createdAt) })}</p>
<form method="post" action="/connections/agents/end" class="row">${hidden(form)}<button class="quiet" name="agent" value="${id}">${say('endAgent', { agent: host })}</button></form></div>`,
  )
  return html`<h2>${say('agentsTitle')}</h2><p>${say('agentsIntro', { app: app.name })}</p>${cards}`
}

/** The step before a connection ends: two buttons, no script. */
export function endPage(view: ConnectionsView, connection: Connection): PersonPage {
  const { language, app, form } = view
  const { profile, name, isFile } = connection
  const title = titleOf(connection, language)
  const { say, plain } = speaker(TEXTS, language)
  const file = speaker(FILES, language)
  const body = html`<h1>${say('endTitle', { service: title })}</h1>
<div class="card"><p><strong><bdi>${name}</bdi></strong></p><p>${isFile ? file.say('endText', { app: app.name }) : say('endText', { app: app.name, service: title })}</p>
<form method="post" action="/connections/end" class="row">${hidden(form)}<button name="profile" value="${profile}">${say('endConfirm')}</button>
<a class="button quiet" href="/connections">${say('keep')}</a></form></div>`
  return { language, title: plain('endTitle', { service: title }), body, app }
}

/** The person types a word, because deleting everything cannot be undone. */
export function deletePage(view: ConnectionsView, isWrong: boolean): PersonPage {
  const { language, app, form } = view
  const { say, plain } = speaker(TEXTS, language)
  const word = plain('deleteWord')
  const body = html`<h1>${say('deleteTitle')}</h1>
<div class="card"><p class="warn">${say('deleteText', { app: app.name })}</p>
<form method="post" action="/connections/delete">${hidden(form)}
<p class="field"><label for="word">${say('deleteLabel', { word })}</label>
${isWrong && html`<span class="fault" id="fault" role="alert">${say('deleteWrong', { word })}</span>`}
<input id="word" name="word" type="text" maxlength="60" autocomplete="off" autocapitalize="none" spellcheck="false" required${isWrong && html` aria-invalid="true" aria-describedby="fault" autofocus`}></p>
<p class="row"><button>${say('deleteConfirm')}</button> <a class="button quiet" href="/connections">${say('keep')}</a></p></form></div>`
  return { language, title: plain('deleteTitle'), body, app }
}

/** Before a link is used: nothing of the account. */
export function connectionsLinkPage(
  app: App,
  language: Language,
  { ticket, expiresAt }: { ticket: string; expiresAt: number },
): PersonPage {
  const { say, plain } = speaker(TEXTS, language)
  const shared = speaker(CONNECT, language)
  const body = html`<h1>${say('linkTitle', { app: app.name })}</h1>
<div class="card"><p>${say('linkIntro', { app: app.name })} ${shared.say('linkUntil', { time: shared.time(expiresAt) })}</p>
<form method="post" action="/connections/open" class="row"><input type="hidden" name="ticket" value="${ticket}"><button>${shared.say('continue')}</button></form>
<p class="soft">${shared.say('linkWarning')}</p></div>`
  return { language, title: plain('linkTitle', { app: app.name }), body, app }
}

/** A link that was used elsewhere or has expired. */
export function deadLinkPage(
  kind: 'elsewhere' | 'expired',
  view: { app: App; language: Language; back: string | undefined },
): PersonPage {
  const { app, language } = view
  const { say, plain } = speaker(CONNECT, language)
  const [title, text] =
    kind === 'elsewhere'
      ? (['linkElsewhereTitle', 'linkElsewhere'] as const)
      : (['linkExpiredTitle', 'linkExpired'] as const)
  const body = html`<h1>${say(title)}</h1>
<div class="card"><p>${say(text, { app: app.name })}</p></div>${backLink(view)}`
  return { language, title: plain(title), body, app }
}

/** A page that needs no session: after everything was deleted, or when the session has ended. */
export function closedPage(
  kind: 'deleted' | 'closed',
  language: Language,
  back: { name: string; url: string | undefined } | undefined,
): PersonPage {
  const { say, plain } = speaker(TEXTS, language)
  const shared = speaker(CONNECT, language)
  const [title, text] =
    kind === 'deleted' ? (['deletedTitle', 'deletedText'] as const) : (['closedTitle', 'closedText'] as const)
  const body = html`<h1>${say(title)}</h1>
<div class="card"><p>${say(text)}</p>
${back?.url !== undefined && html`<p class="row"><a class="button" href="${back.url}">${shared.say('back', { app: back.name })}</a></p>`}</div>`
  return { language, title: plain(title), body }
}

function backLink({ app, language, back }: Pick<ConnectionsView, 'app' | 'language' | 'back'>): Html | false {
  if (back === undefined) return false
  return html`<p class="row"><a class="button" href="${back}">${speaker(CONNECT, language).say('back', { app: app.name })}</a></p>`
}

function hidden(form: string): Html {
  return html`<input type="hidden" name="form" value="${form}">`
}
