import type { DeletionStatus } from '#flows/accounts/deletion-requests.ts'
import { type Html, html } from './html.ts'
import { TEXTS } from './languages/deletion/index.ts'
import type { Language } from './languages/languages.ts'
import { type Speaker, speaker } from './languages/speak.ts'
import type { PersonPage } from './person-page.ts'

type Say = Speaker<(typeof TEXTS)['en']>

/** How far a deletion is that was requested at a service; undefined: nobody knows the code. */
export function deletionPage(code: string, found: DeletionStatus | undefined, language: Language): PersonPage {
  const speak = speaker(TEXTS, language)
  const { say, plain } = speak
  const title = titleOf(found)
  const body = html`<h1>${say(title)}</h1>
<div class="card">${found === undefined ? html`<p>${say('unknown')}</p>` : describe(found, speak)}
<p class="soft">${say('code')} <code dir="ltr">${code}</code></p></div>`
  return { language, title: plain(title), body }
}

function titleOf(found: DeletionStatus | undefined) {
  if (found === undefined) return 'unknownTitle'
  if (found.state !== 'deleted') return 'waitingTitle'
  return found.found ? 'deletedTitle' : 'nothingTitle'
}

function describe({ state, service, requestedAt, finishedAt, found }: DeletionStatus, { say, date }: Say): Html {
  const asked = html`<p>${say('asked', { service, date: date(requestedAt) })}</p>`
  if (state === 'waiting') return asked
  if (state === 'waiting_for_destinations') return html`${asked}<p>${say('copies')}</p>`
  const done = found ? say('deleted', { service, date: date(finishedAt ?? requestedAt) }) : say('nothing', { service })
  return html`${asked}<p>${done}</p>`
}
