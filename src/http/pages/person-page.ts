import { createHash } from 'node:crypto'
import type { App } from '#model/apps/app.ts'
import { logoPath } from '#model/apps/branding.ts'
import { readableColors } from '#model/apps/contrast.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { Html, html } from './html.ts'
import { TEXTS } from './languages/connect/index.ts'
import { chooseLanguage, directionOf, type Language } from './languages/languages.ts'
import { speaker } from './languages/speak.ts'
import { PERSON_STYLE } from './person-style.ts'

/** A page for a person who connects a service, in the look of the app. */
export interface PersonPage {
  language: Language
  title: string
  body: Html
  /** Undefined where it is unknown which app the person comes from. */
  app?: App | undefined
  /** The address that a form of the page leads to, where it is not one of ours: the app's. */
  toward?: string | undefined
  /** A script of ours, for a page that works without it, the paths that it loads, and the hosts that this server is reached by. */
  script?: { path: string; loads: readonly string[]; hosts: readonly string[] } | undefined
  /** Seconds until the page reloads itself. */
  refreshS?: number | undefined
}

/** `locale` is what the app asked for. */
export function languageFor(request: HttpRequest, locale: string | undefined): Language {
  return chooseLanguage(locale, request.headers['accept-language'])
}

export function sendPersonPage(reply: HttpReply, page: PersonPage, status = 200): HttpReply {
  const { text, policy } = renderPersonPage(page)
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': policy, 'content-language': page.language, vary: 'Accept-Language' })
    .send(text)
}

export function renderPersonPage(page: PersonPage): { text: string; policy: string } {
  const { language, app } = page
  const style = PERSON_STYLE + brandStyle(app?.branding?.color)
  const logo = app?.branding?.logo && logoPath(app.id, app.branding.logo)
  const { text } = html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">${page.refreshS !== undefined && html`<meta http-equiv="refresh" content="${page.refreshS}">`}<title>${page.title}</title><link rel="icon" href="${logo ?? '/favicon.svg'}"><style>${new Html(style)}</style>${page.script !== undefined && html`<script src="${page.script.path}" defer></script>`}</head>
<body><main>
${app !== undefined && appHeader(app)}
${page.body}
${footer(language, app)}
</main></body>
</html>
`
  return { text, policy: policyOf(style, page.toward) + scriptPolicy(page.script) }
}

/** Two more rules instead of an attribute, so that the policy names the whole style. */
function brandStyle(color: string | undefined): string {
  if (color === undefined) return ''
  const { light, dark } = readableColors(color)
  return `:root{--brand:${light}}@media (prefers-color-scheme:dark){:root{--brand:${dark}}}\n`
}

/** Names the paths and not `'self'`, because responses that the proxy passes on are of this origin too. */
function scriptPolicy(script: PersonPage['script']): string {
  if (script === undefined) return ''
  const at = (path: string) => script.hosts.map((host) => `${host}${path}`).join(' ')
  return `; script-src ${at(script.path)}; connect-src ${script.loads.map(at).join(' ')}`
}

/** No scripts; pictures only of this server. Browsers check redirects after a form too, and `*` does not match custom schemes. */
function policyOf(style: string, toward: string | undefined): string {
  const hash = createHash('sha256').update(style).digest('base64')
  const scheme = toward === undefined ? '' : new URL(toward).protocol
  const forms = scheme === '' || /^https?:$/.test(scheme) ? '*' : `* ${scheme}`
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`
}

function appHeader({ id, name, branding }: App): Html {
  const logo = branding?.logo
  const picture =
    logo === undefined
      ? html`<span class="tile" aria-hidden="true">${initialOf(name)}</span>`
      : html`<img src="${logoPath(id, logo)}" alt="" width="48" height="48">`
  return html`<p class="app">${picture}<bdi>${name}</bdi></p>`
}

function footer(language: Language, app: App | undefined): Html {
  const { say } = speaker(TEXTS, language)
  const privacy = app?.branding?.privacyUrl
  return html`<footer><span>${say('provider')}</span>${app !== undefined && privacy !== undefined && html`<a href="${privacy}" rel="noreferrer noopener" target="_blank">${say('privacy', { app: app.name })}</a>`}</footer>`
}

/** The mark of a service, or the first letter of its title. */
export function serviceTile(service: string): Html {
  return html`<img class="tile" src="/marks/${service}.svg" alt="" width="40" height="40" loading="lazy">`
}

function initialOf(name: string): string {
  const [first = ''] = name.trim()
  return first.toUpperCase()
}
