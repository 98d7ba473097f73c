import { type Html, html } from './html.ts'
import { page } from './layout.ts'

interface Confirmation {
  app: { name: string }
  connector: { title: string }
  ticket: string
  signedIn: { self: { id: string; name?: string | undefined; handle?: string | undefined } }
  /** Who is in the account it will join; undefined when it will be the person's own. */
  joins: { title: string; name: string }[] | undefined
}

/** Shown before a token goes to a browser app, so that nobody's profile joins an account by a link somebody sent. */
export function confirmPage({ app, connector, ticket, signedIn, joins }: Confirmation): string {
  const { id, name, handle } = signedIn.self
  return page(
    `Continue to ${app.name}?`,
    html`<h1>Continue to ${app.name}?</h1>
<div class="card">
<p><strong>${app.name}</strong> will get access to your ${connector.title} profile <strong>${name ?? handle ?? id}</strong>${handle !== undefined && name !== undefined && html` (${handle})`}.</p>
${joins === undefined ? html`<p>It will be your account in ${app.name}.</p>` : joined(app.name, joins)}
<form method="post" action="/oauth/confirm">
<input type="hidden" name="ticket" value="${ticket}">
<p class="row"><button name="answer" value="yes">Continue</button> <button class="quiet" name="answer" value="no">No, go back</button></p>
</form>
</div>`,
    { narrow: true },
  )
}

function joined(appName: string, joins: { title: string; name: string }[]): Html {
  const members = joins.map(({ title, name }) => html`<li><strong>${name}</strong> at ${title}</li>`)
  return html`<p>It will be added to an account that <strong>already exists</strong> in ${appName}${members.length > 0 && ':'}</p>
${members.length > 0 && html`<ul>${members}</ul>`}
<p class="warn">Is this not you, or did somebody else send you the link? Then choose “No”.</p>`
}
