import type { ChoiceProblem, ChoosePrompt } from '#flows/sign-in/choose.ts'
import { fieldHtml } from './field-text.ts'
import { type Html, html } from './html.ts'
import type { Language } from './languages/languages.ts'
import { TEXTS } from './languages/sign-in/index.ts'
import { type Speaker, speaker } from './languages/speak.ts'
import { type PersonPage, serviceTile } from './person-page.ts'

/** Asks which of a person's tenants at a service is connected. Works without scripts. */
export function choosePage(prompt: ChoosePrompt, language: Language): PersonPage {
  const { ticket, app, connector, tenants, problem, to, expiresAt } = prompt
  const speak = speaker(TEXTS, language)
  const { say, plain, time } = speak
  const values = { service: connector.title, app: app.name }
  const title = plain('title', values)
  const body = html`<h1>${say('title', values)}</h1>
<div class="card">
<div class="who">${serviceTile(connector.service)}<p><strong><bdi>${connector.title}</bdi></strong></p></div>
${problem !== undefined && html`<p class="warn" id="problem" role="alert">${sentenceOf(prompt, problem, speak)}</p>`}
<form method="post" action="/oauth/choose">
<input type="hidden" name="ticket" value="${ticket}">
<fieldset class="choice"${problem !== undefined && html` aria-describedby="problem"`}><legend>${fieldHtml(tenants.title, language)}</legend>
${choicesOf(prompt)}
</fieldset>
<p class="row"><button name="answer" value="yes">${say('continue')}</button> <button class="quiet" name="answer" value="no" formnovalidate>${say('decline')}</button></p>
</form>
<p class="soft">${say('chooseOne', { app: app.name })} ${say('nothingYet')} ${say('until', { time: time(expiresAt) })}</p>
</div>`
  return {
    language,
    app,
    toward: to.redirectUri,
    title: problem === undefined ? title : plain('errorTitle', { title }),
    body,
  }
}

/** Two of the same name are told apart by their ids. */
function choicesOf({ offered }: ChoosePrompt): Html[] {
  const names = offered.map(({ name }) => name)
  return offered.map(({ id, name }) => {
    const isAlone = names.filter((each) => each === name).length === 1
    return html`<label><input type="radio" name="tenant" value="${id}" required> <span><bdi>${name}</bdi>${!isAlone && html` <span class="soft"><bdi>${id}</bdi></span>`}</span></label>`
  })
}

function sentenceOf(
  { app, connector, to }: ChoosePrompt,
  problem: ChoiceProblem,
  { say }: Speaker<(typeof TEXTS)['en']>,
): Html {
  const values = { app: app.name, service: connector.title }
  switch (problem) {
    case 'missing':
      return say('faultChoose')
    case 'refused':
      return say('chooseRefused', values)
    case 'unreachable':
      return say('unreachable', values)
    case 'other_user':
      return say('otherUser', { profile: to.reconnect?.profile ?? connector.title, app: app.name })
    default:
      return problem satisfies never
  }
}
