import type { ConsentRequest } from './consent-request.ts'
import { html } from './html.ts'
import { type Brand, page } from './page.ts'
import type { Person } from './people.ts'
import type { Reply } from './reply.ts'

interface LoginView {
  brand: Brand
  /** Precedes the paths of the pages. */
  root: string
  people: Person[]
  id: string
  clientName: string
  failedUsername?: string
}

export function loginPage({ brand, root, people, id, clientName, failedUsername }: LoginView): Reply {
  const failed = failedUsername !== undefined
  return page(
    brand,
    `Sign in to ${brand.title}`,
    html`<p class="soft">to continue to <strong>${clientName}</strong></p>
${failed ? html`<p class="problem" role="alert">That name and password do not belong together.</p>` : undefined}
<form method="post" action="${root}/login" id="password-login"><input type="hidden" name="interaction" value="${id}">
<label>Name <input type="text" name="username" value="${failedUsername ?? ''}" autocomplete="username" autocapitalize="none" required></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<div class="row"><button class="main">Sign in</button></div></form>
<h2>This is a demo. Sign in with one click:</h2>
<form method="post" action="${root}/login" id="quick-login"><input type="hidden" name="interaction" value="${id}">
<div class="row">${people.map((person) => html`<button name="as" value="${person.username}">Log in as ${person.name.split(' ')[0]}</button>`)}</div></form>`,
    failed ? 401 : 200,
  )
}

interface ConsentView {
  brand: Brand
  root: string
  id: string
  consentRequest: ConsentRequest
  person: Person
}

export function consentPage({ brand, root, id, consentRequest, person }: ConsentView): Reply {
  return page(
    brand,
    `${consentRequest.clientName} would like to use your ${brand.title} account`,
    html`<p class="soft">Signed in as <strong>${person.name}</strong> (${person.username}).
<a href="${root}/login?interaction=${id}">Not you?</a></p>
${consentRequest.note === undefined ? undefined : html`<p>${consentRequest.note}</p>`}
<form method="post" action="${root}/consent" id="consent"><input type="hidden" name="interaction" value="${id}">
<h2 id="can">It will be able to:</h2>
<ul aria-labelledby="can">${consentRequest.permissions.map(
      ({ name, description }) =>
        html`<li><label><input type="checkbox" name="permission" value="${name}" checked> <span>${description}</span></label></li>`,
    )}</ul>
<p class="soft">You will go back to ${consentRequest.returnsTo}.</p>
<div class="row"><button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></div></form>`,
  )
}
