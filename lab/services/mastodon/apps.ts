import { first } from '../../base/pairs.ts'
import { json, type Reply } from '../../base/reply.ts'
import { formOf, hasForm, jsonOf, type LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'

interface LabApp {
  /** Not the key: a number of this server. */
  id: string
  name: string
  redirectUris: readonly string[]
  secret: string
}

/** The server, which knows its apps and gives them tokens of their own. Servers before release 4.3 do not name an app. */
export function createApps(oauth: OAuth2Server, setting: { namesApps: boolean }) {
  const apps = new Map<string, LabApp>()
  const tokens = new Map<string, string>()

  const register: OAuth2Server['register'] = (registration) => {
    const made = oauth.register(registration)
    const { name, redirectUris } = registration
    apps.set(made.key, { id: String(563_419 + apps.size), name: name ?? '', redirectUris, secret: made.secret })
    return made
  }

  /** `client_credentials` returns a token of the app; everything else is the standard server's. */
  const token = async (request: LabRequest): Promise<Reply> => {
    const fields = formOf(request)
    if (first(fields, 'grant_type') !== 'client_credentials') return oauth.routes['POST /oauth/token']!(request, {})
    const key = first(fields, 'client_id') ?? ''
    const app = apps.get(key)
    if (app === undefined || app.secret !== first(fields, 'client_secret'))
      return json(401, { error: 'invalid_client', error_description: 'Client authentication failed' })
    const value = `app-${tokens.size}-${app.id}`
    tokens.set(value, key)
    return json(200, { access_token: value, token_type: 'Bearer', scope: 'read', created_at: 1_573_979_017 })
  }

  const verify = (request: LabRequest): Reply => {
    const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const app = apps.get(tokens.get(bearer) ?? keyOf(request) ?? '')
    if (app === undefined) return json(401, { error: 'The access token is invalid' })
    const { id, name, redirectUris } = app
    const since43 = setting.namesApps ? { id, scopes: ['read'], redirect_uris: redirectUris } : {}
    return json(200, { ...since43, name, website: null })
  }

  const keyOf = (request: LabRequest): string | undefined => {
    try {
      return oauth.guard(request).client.key
    } catch {
      // An unknown token belongs to no app.
      return undefined
    }
  }

  const create = (request: LabRequest): Reply => {
    const fields: Record<string, unknown> = hasForm(request) ? Object.fromEntries(formOf(request)) : jsonOf(request)
    const { client_name: name, redirect_uris: uris, scopes = 'read', website = null } = fields
    if (typeof name !== 'string' || name === '')
      return json(422, { error: "Validation failed: Application name can't be blank" })
    const redirectUris = (Array.isArray(uris) ? uris : typeof uris === 'string' ? uris.split('\n') : ['']).map(String)
    if (!redirectUris.every((uri) => URL.canParse(uri)))
      return json(422, { error: 'Validation failed: Redirect URI must be an absolute URI.' })
    const { key, secret } = register({ name, redirectUris })
    return json(200, {
      id: apps.get(key)!.id,
      name,
      website,
      scopes: String(scopes).split(' '),
      redirect_uri: redirectUris.join('\n'),
      redirect_uris: redirectUris,
      client_id: key,
      client_secret: secret,
      client_secret_expires_at: 0,
    })
  }

  const routes: Routes = {
    'POST /oauth/token': token,
    'POST /api/v1/apps': create,
    'GET /api/v1/apps/verify_credentials': verify,
  }
  return { register, routes }
}
