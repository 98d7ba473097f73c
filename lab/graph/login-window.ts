import { type Brand, problemPage } from '../base/page.ts'
import { first, type Pair } from '../base/pairs.ts'
import { Refusal, type Reply, withQuery } from '../base/reply.ts'
import { formOf, type LabRequest } from '../base/request.ts'
import type { Routes } from '../base/router.ts'
import { callRoute, pagesOf } from '../oauth2/inside.ts'
import type { OAuth2Server } from '../oauth2/server.ts'

export interface LoginWindowOptions {
  brand: Brand
  oauth: OAuth2Server
  authorizePath: string
  /** Appended to the redirect URL after the code. */
  fragment: string
  deniedDescription: string
  /** Scopes that every login requests, listed by the app or not. */
  always: readonly string[]
  responseTypeRequired: boolean
  /** The login window shows an error if this scope is missing. */
  requiredScope?: string
}

export interface LoginWindow {
  authorize: (request: LabRequest) => Promise<Reply>
  routes: Routes
  /** The permissions requested in the login that issued this code. */
  requestedScopesOf(code: string): string[]
}

/** Meta's differences from a standard authorization endpoint: scope lists, error pages, the fragment. */
export function createLoginWindow(options: LoginWindowOptions): LoginWindow {
  const { oauth, brand } = options
  const requestedByInteraction = new Map<string, string[]>()
  const requestedByCode = new Map<string, string[]>()
  const errorPage = (detail: string) => new Refusal(problemPage(brand, 'This link does not work', detail))

  function scopesOf(query: readonly Pair[]): string[] {
    const names = (first(query, 'scope') ?? '').split(/[\s,]+/).filter((name) => name !== '')
    const unknown = names.filter((name) => !Object.hasOwn(oauth.settings.scopes, name))
    if (unknown.length > 0) throw errorPage(`Invalid Scopes: ${unknown.join(', ')}. They do not exist.`)
    const { requiredScope } = options
    if (requiredScope !== undefined && !names.includes(requiredScope))
      throw errorPage(`Invalid Scopes: ${requiredScope} is required.`)
    return [...new Set([...options.always, ...names])]
  }

  return {
    requestedScopesOf: (code) => requestedByCode.get(code) ?? [],
    async authorize(request) {
      if (options.responseTypeRequired && first(request.query, 'response_type') !== 'code')
        throw errorPage('response_type must be code.')
      const requested = scopesOf(request.query)
      const query: Pair[] = [
        ...request.query.filter(([name]) => name !== 'scope'),
        ['scope', requested.join(oauth.settings.scopeSeparator)],
        ...(first(request.query, 'response_type') === undefined ? [['response_type', 'code'] as const] : []),
      ]
      const reply = await callRoute(oauth.routes, `GET ${options.authorizePath}`, { ...request, query })
      const interaction = new URL(locationOf(reply), 'http://lab.test').searchParams.get('interaction')
      if (interaction !== null) requestedByInteraction.set(interaction, requested)
      return reply
    },
    routes: {
      ...pagesOf(oauth.routes),
      'POST /consent': async (request) => {
        const interaction = first(formOf(request), 'interaction') ?? ''
        const reply = await callRoute(oauth.routes, 'POST /consent', request)
        const location = locationOf(reply)
        if (!URL.canParse(location)) return reply
        const url = new URL(location)
        const code = url.searchParams.get('code')
        if (code !== null) {
          requestedByCode.set(code, requestedByInteraction.get(interaction) ?? [])
          return { ...reply, headers: { ...reply.headers, location: `${location}${options.fragment}` } }
        }
        if (url.searchParams.get('error') !== 'access_denied') return reply
        const state = url.searchParams.get('state') ?? undefined
        for (const name of ['error', 'error_description', 'state']) url.searchParams.delete(name)
        const denied = withQuery(url.href, {
          error: 'access_denied',
          error_reason: 'user_denied',
          error_description: options.deniedDescription,
          state,
        })
        return { ...reply, headers: { ...reply.headers, location: denied } }
      },
    },
  }
}

const locationOf = (reply: Reply): string => reply.headers['location'] ?? ''
