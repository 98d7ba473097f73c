import type { TypedPrompt } from '#flows/sign-in/typed-sign-in.ts'
import type { UploadProblem } from '#flows/sign-in/upload-problems.ts'
import { MAX_UPLOAD_BYTES } from '#flows/uploads/receive-upload.ts'
import { sharesOf } from '#identity/offers.ts'
import { sharesList } from './connect.ts'
import { type Html, html } from './html.ts'
import { TEXTS as FILES } from './languages/files/index.ts'
import type { Language } from './languages/languages.ts'
import { TEXTS } from './languages/sign-in/index.ts'
import { speaker } from './languages/speak.ts'
import { type PersonPage, serviceTile } from './person-page.ts'

const UPLOAD_MEGABYTES = Math.floor(MAX_UPLOAD_BYTES / 1024 / 1024)

/** Asks for a file. The browser's own field also takes one that is dropped on it, and shows the progress of the upload. */
export function filePage(prompt: TypedPrompt, language: Language, problem: Html | undefined): PersonPage {
  const { app, connector, state, to, expiresAt } = prompt
  const { say, plain, time } = speaker(TEXTS, language)
  const file = speaker(FILES, language)
  const values = { service: file.plain('service'), app: app.name }
  const title = plain('title', values)
  const action = `/oauth/file?${new URLSearchParams({ state }).toString()}`
  const body = html`<h1>${say('title', values)}</h1>
<div class="card">
<div class="who">${serviceTile(connector.service)}<p><strong><bdi>${values.service}</bdi></strong></p></div>
${problem !== undefined && html`<p class="warn" role="alert" id="problem">${problem}</p>`}
<form method="post" action="${action}" enctype="multipart/form-data">
<p class="field"><label for="file">${file.say('label')}</label>
<span class="soft" id="formats">${file.say('formats', { megabytes: String(UPLOAD_MEGABYTES) })}</span>
<input id="file" name="file" type="file" required accept=".ics,.ical,.vcf,.vcard,.zip,text/calendar,text/vcard,application/zip" aria-describedby="${problem === undefined ? 'formats' : 'problem formats'}"></p>
<p class="row"><button>${file.say('upload')}</button> <button class="quiet" form="cancel">${say('cancel')}</button></p>
</form>
<form id="cancel" method="post" action="/oauth/typed"><input type="hidden" name="state" value="${state}"><input type="hidden" name="answer" value="no"></form>
<details class="soft"><summary>${file.say('where')}</summary><ul><li>${file.say('whereGoogle')}</li><li>${file.say('whereApple')}</li><li>${file.say('whereOutlook')}</li></ul></details>
${sharesList(language, app, sharesOf(connector, undefined))}
<p class="soft">${file.say('promise', { app: app.name })} ${say('until', { time: time(expiresAt) })}</p>
</div>`
  return {
    language,
    app,
    toward: to.redirectUri,
    title: problem === undefined ? title : plain('errorTitle', { title }),
    body,
  }
}

/** Why a file was not accepted, and what helps. */
export function fileProblem(language: Language, problem: UploadProblem): Html {
  const { say } = speaker(FILES, language)
  return problem === 'too_large' ? say(problem, { megabytes: String(UPLOAD_MEGABYTES) }) : say(problem)
}
