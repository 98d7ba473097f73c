import type { AgentPrompt } from '#flows/agents/consent.ts'
import { type AgentScope, READ_SCOPES, type ReadScope } from '#model/apps/agents.ts'
import type { App } from '#model/apps/app.ts'
import { type Html, html } from './html.ts'
import { TEXTS } from './languages/agents/index.ts'
import { TEXTS as CONNECT } from './languages/connect/index.ts'
import type { Language } from './languages/languages.ts'
import { TEXTS as SIGN_IN } from './languages/sign-in/index.ts'
import { speaker } from './languages/speak.ts'
import { type PersonPage, serviceTile } from './person-page.ts'

/** A service to sign in at, and the address that begins it. */
interface Choice {
  service: string
  title: string
  link: string
}

/** The first step: at which service the person signs in. */
export function agentServicesPage(app: App, services: readonly Choice[], language: Language): PersonPage {
  const { say, plain } = speaker(TEXTS, language)
  const list = services.map(
    ({ service, title, link }) =>
      html`<li>${serviceTile(service)}<div><a href="${link}">${title}</a></div><span class="go"></span></li>`,
  )
  const none = html`<div class="card"><p>${speaker(CONNECT, language).say('noServices', { app: app.name })}</p></div>`
  const body = html`<h1>${say('servicesTitle', { app: app.name })}</h1>
<p>${say('servicesIntro', { app: app.name })}</p>
${list.length > 0 ? html`<ul class="services">${list}</ul>` : none}
<p class="warn">${say('servicesWarning')}</p>`
  return { language, app, title: plain('servicesTitle', { app: app.name }), body }
}

/** The second step. Writing is never chosen beforehand. */
export function agentConsentPage(
  prompt: AgentPrompt,
  titles: ReadonlyMap<string, string>,
  language: Language,
): PersonPage {
  const { app, to, ticket, scopes, profiles, expiresAt } = prompt
  const { say, plain, time } = speaker(TEXTS, language)
  const signIn = speaker(SIGN_IN, language)
  const members = profiles.map(({ title, name }) => html`<li>${signIn.say('member', { name, service: title })}</li>`)
  const reads = scopes.filter(isRead).map((scope) => choice(scope, say(scope), true))
  const writes = scopes
    .filter((scope) => !isRead(scope))
    .map((scope) => {
      const service = scope.slice('write:'.length)
      return choice(scope, say('writeAs', { service: titles.get(service) ?? service }), false)
    })
  const body = html`<h1>${say('title', { app: app.name })}</h1>
<div class="card">
<p>${say('asks', { app: app.name, host: hostOf(to.redirectUri) })}</p>
<p>${say('accountOf')}</p>
<ul>${members}</ul>
<form method="post" action="/oauth/agents/consent">
<input type="hidden" name="ticket" value="${ticket}">
${reads.length > 0 && html`<h2>${say('mayRead')}</h2>${reads}`}
${writes.length > 0 && html`<h2>${say('mayWrite')}</h2><p class="warn">${say('writeWarning')}</p>${writes}`}
<p class="row"><button name="answer" value="yes">${say('allow')}</button> <button class="quiet" name="answer" value="no">${signIn.say('decline')}</button></p>
</form>
<p class="soft">${say('ends', { app: app.name })} ${signIn.say('until', { time: time(expiresAt) })}</p>
</div>
<p class="warn">${say('warning')}</p>`
  return { language, app, toward: to.redirectUri, title: plain('title', { app: app.name }), body }
}

function choice(scope: AgentScope, meaning: Html, isChosen: boolean): Html {
  return html`<p class="choice"><label><input type="checkbox" name="scope" value="${scope}"${isChosen && html` checked`}> <span>${meaning}</span></label></p>`
}

function isRead(scope: AgentScope): scope is ReadScope {
  return Object.hasOwn(READ_SCOPES, scope)
}

function hostOf(address: string): string {
  const { host, protocol } = new URL(address)
  return host === '' ? protocol : host
}
