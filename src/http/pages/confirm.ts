import type { ConsentPrompt } from '#flows/sign-in/consent-prompt.ts'
import type { App } from '#model/apps/app.ts'
import { sharesList } from './connect.ts'
import { type Html, html } from './html.ts'
import type { Language } from './languages/languages.ts'
import { TEXTS } from './languages/sign-in/index.ts'
import { type Speaker, speaker } from './languages/speak.ts'
import { type PersonPage, serviceTile } from './person-page.ts'

type Asked = Extract<ConsentPrompt, { kind: 'prompt' }>

/** Shown before a browser app gets a token or a profile joins an account, so that a link from an attacker cannot cause either. */
export function confirmPage(prompt: Asked, language: Language): PersonPage {
  const { app, service, ticket, self, to, expiresAt } = prompt
  const { id, name, handle } = self
  const speak = speaker(TEXTS, language)
  const { say, plain, time } = speak
  const shown = name ?? handle ?? id
  const body = html`<h1>${say('confirmTitle', { app: app.name })}</h1>
<div class="card">
<div class="who">${serviceTile(service.service)}<p><strong><bdi>${shown}</bdi></strong>${handle !== undefined && name !== undefined && html` <span class="soft">(<bdi>${handle}</bdi>)</span>`}<br><span class="soft"><bdi>${service.title}</bdi></span></p></div>
<p>${say('confirmAccess', { app: app.name, service: service.title, name: shown })}</p>
${joined(prompt, speak)}
${sharesList(language, app, service.shares)}
<form method="post" action="/oauth/confirm">
<input type="hidden" name="ticket" value="${ticket}">
<p class="row"><button name="answer" value="yes">${say('continue')}</button> <button class="quiet" name="answer" value="no">${say('decline')}</button></p>
</form>
<p class="soft">${say('nothingYet')} ${say('until', { time: time(expiresAt) })}</p>
</div>`
  return { language, app, toward: to.redirectUri, title: plain('confirmTitle', { app: app.name }), body }
}

/** Shown when the person returns to the page or submits it again after the sign-in is complete. */
export function donePage(language: Language, app?: App): PersonPage {
  const { say, plain } = speaker(TEXTS, language)
  const body = html`<h1>${say('doneTitle')}</h1>
<div class="card"><p>${say('done')}</p><p class="soft">${say('doneUndo')}</p></div>`
  return { language, app, title: plain('doneTitle'), body }
}

/** Whose account it is, so that the person sees if it is not theirs. */
function joined({ app, joins, reconnects }: Asked, { say }: Speaker<(typeof TEXTS)['en']>): Html {
  if (joins === undefined) return html`<p>${say('confirmNew', { app: app.name })}</p>`
  const members = joins.map(({ title, name }) => html`<li>${say('member', { name, service: title })}</li>`)
  return html`<p><strong>${reconnects ? say('confirmAgain', { app: app.name }) : say('confirmJoins', { app: app.name })}</strong></p>
${members.length > 0 ? html`<ul>${members}</ul>` : html`<p>${say('confirmEmpty')}</p>`}
<p class="warn">${say('confirmWarning')}</p>`
}
