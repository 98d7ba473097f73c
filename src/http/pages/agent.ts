import type { AgentPrompt } from '#flows/authorize/agents/consent.ts'
import { type AgentScope, READ_SCOPES, type ReadScope } from '#model/agents.ts'
import { type Html, html } from './html.ts'
import { page } from './layout.ts'

/** The first step: at which service the person signs in. */
export function agentServicesPage(appName: string, services: { title: string; link: string }[]): string {
  const list = services.map(({ title, link }) => html`<li><a href="${link}">${title}</a></li>`)
  return page(
    `Sign in to ${appName}`,
    html`<h1>An agent asks for access to your data in ${appName}</h1>
<p>Sign in with a service that you connected to ${appName}. Then you decide what the agent may do.</p>
<div class="card">${list.length > 0 ? html`<ul class="choices">${list}</ul>` : html`<p>${appName} has no services yet.</p>`}</div>
<p class="warn">You did not start this, or somebody sent you the link? Then close this page.</p>`,
    { narrow: true },
  )
}

/** The second step. Writing is never chosen beforehand. */
export function agentConsentPage(prompt: AgentPrompt, titles: ReadonlyMap<string, string>): string {
  const { app, to, ticket, scopes, profiles, expiresAt } = prompt
  const until = new Date(expiresAt).toISOString()
  const members = profiles.map(({ title, name }) => html`<li><strong>${name}</strong> at ${title}</li>`)
  const reads = scopes.filter(isRead).map((scope) => choice(scope, READ_SCOPES[scope], true))
  const writes = scopes
    .filter((scope) => !isRead(scope))
    .map((scope) => {
      const service = scope.slice('write:'.length)
      return choice(scope, `Change, post and delete as you at ${titles.get(service) ?? service}`, false)
    })
  return page(
    `Let an agent use ${app.name}?`,
    html`<h1>Let an agent use your data in ${app.name}?</h1>
<div class="card">
<p>An agent of <strong>${app.name}</strong> asks for access to your account. You return to <strong>${hostOf(to.redirectUri)}</strong>.</p>
<ul>${members}</ul>
<form method="post" action="/oauth/agents/consent">
<input type="hidden" name="ticket" value="${ticket}">
<h2>It may read</h2>
${reads}
${writes.length > 0 && html`<h2>It may write</h2><p class="warn">What an agent reads can mislead it. Allow writing only if the agent asks you before each change.</p>${writes}`}
<p class="row"><button name="answer" value="yes">Allow</button> <button class="quiet" name="answer" value="no">No, go back</button></p>
</form>
<p class="soft">The access ends when you or ${app.name} revoke it, or 30 days after its last use. This page works until <time datetime="${until}">${until.slice(11, 16)} UTC</time>.</p>
</div>
<p class="warn">You did not start this, or somebody sent you the link? Then choose “No”.</p>`,
    { narrow: true },
  )
}

function choice(scope: AgentScope, meaning: string, isChosen: boolean): Html {
  return html`<p><label><input type="checkbox" name="scope" value="${scope}"${isChosen && html` checked`}> ${meaning}</label></p>`
}

function isRead(scope: AgentScope): scope is ReadScope {
  return Object.hasOwn(READ_SCOPES, scope)
}

function hostOf(address: string): string {
  const { host, protocol } = new URL(address)
  return host === '' ? protocol : host
}
