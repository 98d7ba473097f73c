import type { ConsentPrompt } from '#flows/authorize/consent-prompt.ts'
import { type Html, html } from './html.ts'
import { page } from './layout.ts'

type Asked = Extract<ConsentPrompt, { kind: 'prompt' }>

/** Shown before a browser app gets a token or a profile joins an account, so that a link from an attacker cannot cause either. */
export function confirmPage({ app, service, ticket, self, joins, reconnects, expiresAt }: Asked): string {
  const { id, name, handle } = self
  const until = new Date(expiresAt).toISOString()
  return page(
    `Continue to ${app.name}?`,
    html`<h1>Continue to ${app.name}?</h1>
<div class="card">
<p><strong>${app.name}</strong> will get access to your ${service} profile <strong>${name ?? handle ?? id}</strong>${handle !== undefined && name !== undefined && html` (${handle})`}.</p>
${joins === undefined ? html`<p>It will be your account in ${app.name}.</p>` : joined(app.name, joins, reconnects)}
<form method="post" action="/oauth/confirm">
<input type="hidden" name="ticket" value="${ticket}">
<p class="row"><button name="answer" value="yes">Continue</button> <button class="quiet" name="answer" value="no">No, go back</button></p>
</form>
<p class="soft">This page works for ten minutes, until <time datetime="${until}">${until.slice(11, 16)} UTC</time>. Until you continue, nothing is connected.</p>
</div>`,
    { narrow: true },
  )
}

/** Shown when the person returns to the page or submits it again after the sign-in is complete. */
export function donePage(): string {
  return page(
    'This is done',
    html`<h1>This is done</h1>
<div class="card"><p>You continued, and the app has connected your profile. Go back to the app; there is nothing more to do here.</p>
<p class="soft">You did not want this? Disconnect the profile in the app.</p></div>`,
    { narrow: true },
  )
}

function joined(appName: string, joins: { title: string; name: string }[], reconnects: boolean): Html {
  const members = joins.map(({ title, name }) => html`<li><strong>${name}</strong> at ${title}</li>`)
  return html`<p>It will be ${reconnects ? 'connected again in' : 'added to'} an account that <strong>already exists</strong> in ${appName}${members.length > 0 && ':'}</p>
${members.length > 0 ? html`<ul>${members}</ul>` : html`<p>Nobody is in it yet.</p>`}
<p class="warn">Is this not you, or did somebody else send you the link? Then choose “No”.</p>`
}
