import { createCookieJar } from './browser/cookie-jar.ts'
import { type Fields, type Form, type PageContent, readPage } from './browser/read-page.ts'

export interface Page extends PageContent {
  url: string
  /** 0 if `stopAt` prevented the request. */
  status: number
  headers: Headers
  body: string
  /** All URLs visited for this page, including redirects; the last one is `url`. */
  chain: string[]
  stopped: boolean
}

export interface BrowserOptions {
  /** Stops before requesting matching URLs, for example a callback without a server. */
  stopAt?: (url: string) => boolean
}

export interface WalkOptions {
  person: string
  /** If given, submits the password form; otherwise the one-click button. */
  password?: string
  decision?: 'allow' | 'deny'
  /** Only these permissions stay checked. */
  permissions?: string[]
}

export interface Browser {
  open(url: string): Promise<Page>
  submit(page: Page, form: Form | string, fields?: Fields): Promise<Page>
  /** Submits a form of `multipart/form-data`. */
  upload(page: Page, form: Form, body: FormData): Promise<Page>
  login(page: Page, person: string, password?: string): Promise<Page>
  decide(page: Page, decision: 'allow' | 'deny', permissions?: string[]): Promise<Page>
  /** Follows an authorize URL, or goes on from a page, through login and consent as far as possible. */
  walk(start: Page | string, options: WalkOptions): Promise<Page>
  cookies(url: string): Record<string, string>
  forget(): void
}

const maxRedirects = 20

/** A headless browser for HTTP-level tests: redirects, cookies and forms, no scripts. */
export function createBrowser(options: BrowserOptions = {}): Browser {
  const jar = createCookieJar()

  async function visit(url: string, request: RequestInit, chain: string[]): Promise<Page> {
    const visited = [...chain, url]
    if (visited.length > maxRedirects) throw new Error(`too many redirects: ${visited.join(' -> ')}`)
    if (options.stopAt?.(url))
      return { url, status: 0, headers: new Headers(), body: '', chain: visited, stopped: true, ...readPage('') }
    const headers = new Headers(request.headers)
    headers.set('accept', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8')
    const cookie = jar.header(url)
    if (cookie !== '') headers.set('cookie', cookie)
    const response = await fetch(url, { ...request, headers, redirect: 'manual' })
    jar.take(url, response.headers.getSetCookie())
    const location = response.headers.get('location')
    if (location !== null && [301, 302, 303, 307, 308].includes(response.status)) {
      await response.body?.cancel()
      const next = new URL(location, url)
      if (next.hash === '') next.hash = new URL(url).hash
      const repeats = response.status === 307 || response.status === 308
      return visit(next.href, repeats ? request : {}, visited)
    }
    const body = await response.text()
    return {
      url,
      status: response.status,
      headers: response.headers,
      body,
      chain: visited,
      stopped: false,
      ...readPage(body),
    }
  }

  async function submit(page: Page, target: Form | string, fields: Fields = {}): Promise<Page> {
    const form = typeof target === 'string' ? page.forms.find(({ id }) => id === target) : target
    if (!form) throw new Error(`no such form on ${page.url} (status ${page.status})`)
    const pairs = new URLSearchParams()
    for (const { name, value } of form.fields) if (!(name in fields)) pairs.append(name, value)
    for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) pairs.append(name, one)
    const action = new URL(form.action, page.url)
    if (form.method === 'post') {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(page.url).origin }
      return visit(action.href, { method: 'POST', headers, body: pairs.toString() }, [])
    }
    action.search = pairs.toString()
    return visit(action.href, {}, [])
  }

  const login = (page: Page, person: string, password?: string) =>
    password === undefined
      ? submit(page, 'quick-login', { as: person })
      : submit(page, 'password-login', { username: person, password })
  const decide = (page: Page, decision: 'allow' | 'deny', permissions?: string[]) =>
    submit(page, 'consent', permissions === undefined ? { decision } : { decision, permission: permissions })
  const has = (page: Page, id: string) => page.forms.some((form) => form.id === id)

  return {
    open: (url) => visit(url, {}, []),
    submit,
    upload: (page, form, body) => {
      const headers = { origin: new URL(page.url).origin }
      return visit(new URL(form.action, page.url).href, { method: 'POST', headers, body }, [])
    },
    login,
    decide,
    async walk(start, { person, password, decision = 'allow', permissions }) {
      let page = typeof start === 'string' ? await visit(start, {}, []) : start
      const chain = [...page.chain]
      const step = async (next: Promise<Page>) => {
        page = await next
        chain.push(...page.chain)
      }
      if (has(page, 'quick-login')) await step(login(page, person, password))
      if (has(page, 'consent')) await step(decide(page, decision, permissions))
      return { ...page, chain }
    },
    cookies: jar.all,
    forget: jar.clear,
  }
}
