import type { Offer, Shared } from '#identity/offers.ts'
import type { App } from '#model/apps/app.ts'
import { type Html, html } from './html.ts'
import { TEXTS } from './languages/connect/index.ts'
import { TEXTS as FILES } from './languages/files/index.ts'
import type { Language } from './languages/languages.ts'
import { type Speaker, speaker } from './languages/speak.ts'
import { type PersonPage, serviceTile } from './person-page.ts'

type Say = Speaker<(typeof TEXTS)['en']>

/** A page with services to choose from. */
export interface Choices {
  app: App
  language: Language
  offers: readonly Offer[]
  /** Names of services that the person has connected; empty if it is unknown who they are. */
  connected: ReadonlySet<string>
  /** What was searched for. */
  query: string
  /** From 1. */
  page: number
  pageSize: number
  /** Chooses a service: a link or a button, which covers the whole row. */
  choose: (offer: Offer, describedBy: string) => Html
  /** The form that searches, around its field and its button. */
  searchForm: (fields: Html) => Html
  /** Address of another page of the list. */
  pageLink: (page: number) => string
  /** Around the list: a form where the services are buttons. */
  around?: (list: Html) => Html
  /** Address without a search. */
  allLink: string
  /** Leads back to the app with `access_denied`. */
  cancelLink: string
  /** Above the list. Default: to choose a service. */
  intro?: Html
  /** Below everything. */
  notice?: Html
  title: string
}

/** A list this short is quicker read than searched. */
const SEARCH_FROM = 8

export function choicesPage(choices: Choices): Pick<PersonPage, 'title' | 'body' | 'language' | 'app'> {
  const { app, language, query, intro, notice, title } = choices
  const offers = choices.offers.map((offer) =>
    offer.isFile === true ? { ...offer, title: speaker(FILES, language).plain('service') } : offer,
  )
  const speak = speaker(TEXTS, language)
  const { say } = speak
  const found = search(offers, query)
  const body = html`<h1>${title}</h1>
${offers.length === 0 ? html`<div class="card"><p>${say('noServices', { app: app.name })}</p></div>` : html`<p>${intro ?? say('intro', { app: app.name })}</p>`}
${(offers.length >= SEARCH_FROM || query !== '') && searchField(choices, speak, found.length)}
${listOf(choices, speak, found)}
<p class="leave"><a class="button quiet" href="${choices.cancelLink}">${say('cancel', { app: app.name })}</a></p>
${notice !== undefined && html`<p class="soft">${notice}</p>`}`
  return { title, body, language, app }
}

function search(offers: readonly Offer[], query: string): Offer[] {
  const wanted = fold(query)
  return offers.filter(({ service, title }) => fold(title).includes(wanted) || service.includes(wanted))
}

const fold = (text: string): string => text.trim().normalize('NFKC').toLowerCase()

function searchField({ query, searchForm, allLink }: Choices, { say, plain }: Say, found: number): Html {
  return html`${searchForm(html`<div class="find"><input type="search" name="q" value="${query}" maxlength="100" aria-label="${plain('searchLabel')}" placeholder="${plain('searchLabel')}" autocomplete="off"><button>${say('search')}</button></div>`)}
${query !== '' && html`<p class="soft" role="status">${found === 0 ? say('nothingFound', { query }) : say('found', { count: found })} <a href="${allLink}">${say('showAll')}</a></p>`}`
}

function listOf(choices: Choices, speak: Say, found: readonly Offer[]): Html {
  const { app, connected, pageSize, page, around = (list: Html) => list } = choices
  if (found.length === 0) return html``
  const isConnected = ({ service }: Offer) => connected.has(service)
  const sorted = [...found.filter((offer) => !isConnected(offer)), ...found.filter(isConnected)]
  const pages = Math.ceil(sorted.length / pageSize)
  const current = Math.min(Math.max(1, page), pages)
  const rows = sorted
    .slice((current - 1) * pageSize, current * pageSize)
    .map((offer) => row(choices, speak, offer, isConnected(offer)))
  return html`<p class="soft">${speak.say('sharedBelow', { app: app.name })}</p>
${around(html`<ul class="services">${rows}</ul>`)}
${pages > 1 && pagesOf(choices, speak, current, pages)}`
}

function row({ choose }: Choices, speak: Say, offer: Offer, isConnected: boolean): Html {
  const { service, title, shares } = offer
  return html`<li>${serviceTile(service, title)}<div>${choose(offer, `about-${service}`)}${isConnected && html` <span class="done">${speak.say('connected')}</span>`}<p id="about-${service}">${sharesIn(speak, shares)}</p></div><span class="go"></span></li>
`
}

function pagesOf({ pageLink }: Choices, { say, plain, number }: Say, current: number, pages: number): Html {
  return html`<nav class="pages" aria-label="${plain('pages')}">${current > 1 ? html`<a class="button quiet" href="${pageLink(current - 1)}">${say('previousPage')}</a>` : html`<span></span>`}<span class="soft">${say('pageOf', { page: number(current), pages: number(pages) })}</span>${current < pages ? html`<a class="button quiet" href="${pageLink(current + 1)}">${say('nextPage')}</a>` : html`<span></span>`}</nav>`
}

/** “your photos, your posts and your contacts”. */
function sharesIn({ plain, list }: Say, shares: readonly Shared[]): string {
  return list(shares.map((each) => plain(each)))
}

/** What a service shares, as a list with a heading. */
export function sharesList(language: Language, app: App, shares: readonly Shared[]): Html {
  const { say } = speaker(TEXTS, language)
  return html`<h2>${say('shared', { app: app.name })}</h2><ul class="shares">${shares.map((each) => html`<li>${say(each)}</li>`)}</ul>`
}
