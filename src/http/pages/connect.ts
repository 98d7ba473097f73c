import type { Offer, Shared } from '#identity/offers.ts'
import { rankOf, searchWords } from '#kit/connector/service-index.ts'
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
  /** The hosts that this server is reached by. */
  hosts: readonly string[]
}

/** The script of the search, which the page works without. */
export const SEARCH_SCRIPT = '/connect/search.js'

/** A list this short is quicker read than searched. */
const SEARCH_FROM = 8

export function choicesPage(choices: Choices): Pick<PersonPage, 'title' | 'body' | 'language' | 'app' | 'script'> {
  const { app, language, query, intro, notice, title, hosts } = choices
  const offers = choices.offers.map((offer) =>
    offer.isFile === true ? { ...offer, title: speaker(FILES, language).plain('service') } : offer,
  )
  const speak = speaker(TEXTS, language)
  const { say } = speak
  const found = search(offers, query)
  const isSearched = offers.length >= SEARCH_FROM || query !== ''
  const body = html`<h1>${title}</h1>
${offers.length === 0 ? html`<div class="card"><p>${say('noServices', { app: app.name })}</p></div>` : html`<p>${intro ?? say('intro', { app: app.name })}</p>`}
${isSearched && searchField(choices, speak)}
<div id="results"${isSearched && textsOf(choices, speak, found.length)}>${isSearched && statusOf(choices, speak, found.length)}${listOf(choices, speak, found)}</div>
<p class="leave"><a class="button quiet" href="${choices.cancelLink}">${say('cancel', { app: app.name })}</a></p>
${notice !== undefined && html`<p class="soft">${notice}</p>`}`
  return {
    title,
    body,
    language,
    app,
    ...(isSearched ? { script: { path: SEARCH_SCRIPT, loads: ['/connect', '/connect/link'], hosts } } : {}),
  }
}

function search(offers: readonly Offer[], query: string): Offer[] {
  if (query.trim() === '') return [...offers]
  return offers
    .map((offer) => ({ offer, rank: rankOf(searchWords(offer), query) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .map(({ offer }) => offer)
}

function searchField({ query, searchForm }: Choices, { say, plain }: Say): Html {
  return html`${searchForm(html`<div class="find"><input type="search" name="q" value="${query}" maxlength="100" aria-label="${plain('searchLabel')}" placeholder="${plain('searchLabel')}" autocomplete="off"><button>${say('search')}</button></div>`)}`
}

function statusOf({ query, allLink }: Choices, { say }: Say, found: number): Html {
  const text = found === 0 ? say('nothingFound', { query }) : say('found', { count: found })
  return html`<p class="soft" role="status">${query !== '' && html`${text} <a href="${allLink}">${say('showAll')}</a>`}</p>`
}

/** Where all services are on the page, the script filters them itself; it needs what to say about 0, 1, 2 … matches. */
function textsOf({ query, pageSize }: Choices, { plain }: Say, found: number): Html | undefined {
  if (query !== '' || found > pageSize) return undefined
  const texts = Array.from({ length: found + 1 }, (_, count) =>
    count === 0 ? plain('nothingFound', { query: '{query}' }) : plain('found', { count }),
  )
  return html` data-texts="${JSON.stringify(texts)}"`
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
  const { service, shares } = offer
  const { names, words } = searchWords(offer)
  return html`<li data-find=" ${[...names, ...words].join(' ')}">${serviceTile(service)}<div>${choose(offer, `about-${service}`)}${isConnected && html` <span class="done">${speak.say('connected')}</span>`}<p id="about-${service}">${sharesIn(speak, shares)}</p></div><span class="go"></span></li>
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
