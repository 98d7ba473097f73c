import type { OpenedSession } from '#flows/connect/connect-link.ts'
import type { App } from '#model/apps/app.ts'
import { type Html, html } from './html.ts'
import { TEXTS } from './languages/connect/index.ts'
import type { Language } from './languages/languages.ts'
import { speaker } from './languages/speak.ts'
import type { PersonPage } from './person-page.ts'

type Opened<Kind extends OpenedSession['kind']> = Extract<OpenedSession, { kind: Kind }>

/** Above the services: whom the link is for. */
export function linkIntro({ app, request: { label } }: Opened<'open'>, language: Language): Html {
  const { say } = speaker(TEXTS, language)
  return html`${say('linkIntro', { app: app.name })}${label !== undefined && html` <strong>${say('linkFor', { label })}</strong>`}`
}

/** Below them: a link that somebody else sent could add the profile to their account. */
export function linkNotice({ expiresAt }: Opened<'open'>, language: Language): Html {
  const { say, time } = speaker(TEXTS, language)
  return html`${say('linkWarning')} ${say('linkUntil', { time: time(expiresAt) })}`
}

/** A link that does not work (any more), with the way on. */
export function endedPage(opened: Exclude<OpenedSession, { kind: 'open' | 'done' }>, language: Language): PersonPage {
  const { say, plain } = speaker(TEXTS, language)
  if (opened.kind === 'unknown') {
    const body = html`<h1>${say('linkUnknownTitle')}</h1><div class="card"><p>${say('linkUnknown')}</p></div>`
    return { language, title: plain('linkUnknownTitle'), body }
  }
  const { app, to } = opened
  const [title, text] = (
    {
      elsewhere: ['linkElsewhereTitle', 'linkElsewhere'],
      expired: ['linkExpiredTitle', 'linkExpired'],
      revoked: ['linkRevokedTitle', 'linkRevoked'],
    } as const
  )[opened.kind]
  const body = html`<h1>${say(title)}</h1>
<div class="card"><p>${say(text, { app: app.name })}</p>${backButton(app, to.redirectUri, language)}</div>`
  return { language, title: plain(title), body, app }
}

/** After the app redeemed the code: what is connected, and how far the first reading is. */
export function connectedPage({
  app,
  to,
  service,
  language,
  items,
  isRunning,
}: Opened<'done'> & { language: Language; items: number; isRunning: boolean }): PersonPage {
  const { say, plain } = speaker(TEXTS, language)
  const body = html`<h1>${say('linkDoneTitle')}</h1>
<div class="card"><p>${say('linkDone', { service, app: app.name })}</p>
${isRunning && html`<p id="reading">${say('progressTitle', { app: app.name })}</p><div class="bar" role="progressbar" aria-labelledby="reading"><i></i></div>`}
<p role="status"><strong>${say('progressItems', { count: items })}</strong></p>
<p class="soft">${isRunning ? say('progressRuns') : say('progressDone')}</p>
${backButton(app, to.redirectUri, language)}</div>`
  return { language, title: plain('linkDoneTitle'), body, app }
}

/** The app's own page is unknown; the host of its redirect address is the nearest. A custom scheme has none. */
function backButton(app: App, redirectUri: string, language: Language): Html | false {
  const { protocol, origin } = new URL(redirectUri)
  if (!/^https?:$/.test(protocol)) return false
  return html`<p class="row"><a class="button" href="${origin}">${speaker(TEXTS, language).say('back', { app: app.name })}</a></p>`
}
