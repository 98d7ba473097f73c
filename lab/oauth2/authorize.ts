import type { Decision } from '../base/consent-request.ts'
import { html } from '../base/html.ts'
import { page, problemPage } from '../base/page.ts'
import { first, type Pair } from '../base/pairs.ts'
import { Refusal, type Reply, redirect, withQuery } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import { checkRequest } from './authorize-checks.ts'
import type { Client } from './clients.ts'
import type { OAuth2Parts } from './server-parts.ts'

/** RFC 6749 4.1.1. An invalid client or redirect URI shows an error page and never redirects. */
export function authorize(parts: OAuth2Parts, request: LabRequest): Reply {
  const client = findClient(parts, request.query)
  const params = fullParams(parts, client, request.query)
  const redirectUri = checkedRedirect(parts, client, params)
  const redirectBack = (fields: Record<string, string | undefined>) => {
    const all = { ...fields, state: first(params, 'state'), iss: issuerParam(parts, client) }
    return first(params, 'response_mode') === 'form_post'
      ? postBack(parts, redirectUri, all)
      : redirect(withQuery(redirectUri, all), 302)
  }
  const problem = checkRequest(client, params)
  if ('error' in problem) return redirectBack({ error: problem.error, error_description: problem.description })
  const { scopes, challenge } = problem
  const settings = client.settings()
  return parts.signIn.begin(request, {
    clientName: client.name,
    returnsTo: new URL(redirectUri).host || redirectUri,
    permissions: scopes.map((name) => ({ name, description: settings.scopes[name] ?? name })),
    mustLogin: requiresLogin(params),
    finish(decision: Decision) {
      if (!decision.allowed) return redirectBack({ error: 'access_denied', error_description: 'The person said no' })
      const granted = settings.scopeChoice ? decision.permissions : scopes
      const code = parts.grants.addCode({
        grant: { client, person: decision.person, scopes: granted, revoked: false },
        redirectUri,
        ...(challenge === undefined ? {} : { challenge }),
        expiresAtMs: parts.clock.now() + settings.codeTtlSeconds * 1000,
      })
      const named = settings.scopeIn === 'redirect' ? { scope: granted.join(settings.scopeSeparator) } : {}
      return redirectBack({ code, ...named })
    },
  })
}

/** OAuth 2 Form Post Response Mode: a real server submits the form with a script. */
function postBack(parts: OAuth2Parts, address: string, fields: Record<string, string | undefined>): Reply {
  const inputs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  )
  const form = html`<form id="form-post" method="post" action="${address}">${inputs}<button class="main">Continue</button></form>`
  return page(parts.brand, 'Back to the app', form)
}

function findClient(parts: OAuth2Parts, query: Pair[]): Client {
  const { clientIdParam } = parts.settings
  if (query.filter(([name]) => name === clientIdParam).length > 1)
    throw errorPage(parts, `${clientIdParam} is given twice.`)
  const client = parts.clients.find(first(query, clientIdParam))
  if (!client) throw errorPage(parts, `This app is not known here (${clientIdParam}).`)
  return client
}

function fullParams(parts: OAuth2Parts, client: Client, query: Pair[]): Pair[] {
  const { par } = client.settings()
  const requestUri = first(query, 'request_uri')
  if (requestUri === undefined || par === 'off') {
    if (par === 'required') throw errorPage(parts, 'This app must push its requests first (request_uri).')
    return query
  }
  const pushed = parts.pushed.take(client.key, requestUri)
  if (!pushed) throw errorPage(parts, 'The pushed request is unknown, used or expired (request_uri).')
  return pushed
}

function checkedRedirect(parts: OAuth2Parts, client: Client, params: Pair[]): string {
  const given = params.filter(([name]) => name === 'redirect_uri')
  const redirectUri = given[0]?.[1]
  if (given.length !== 1 || redirectUri === undefined)
    throw errorPage(parts, 'The redirect address is missing or given twice.')
  if (!client.redirectUris.includes(redirectUri))
    throw errorPage(parts, 'The redirect address is not registered for this app.')
  return redirectUri
}

const errorPage = (parts: OAuth2Parts, detail: string): Refusal =>
  new Refusal(problemPage(parts.brand, 'This link does not work', detail))

function issuerParam(parts: OAuth2Parts, client: Client): string | undefined {
  const { iss } = client.settings()
  if (iss === 'off') return undefined
  return iss === 'on' ? parts.url() : 'https://somebody-else.test'
}

const requiresLogin = (params: Pair[]): boolean =>
  (first(params, 'prompt') ?? '').split(' ').includes('login') ||
  ['true', '1'].includes(first(params, 'force_login') ?? '') ||
  first(params, 'auth_type') === 'reauthenticate'
