import { createHash } from 'node:crypto'
import { json, noContent, Refusal, type Reply } from '../../base/reply.ts'
import { jsonOf, type LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { ApiParts } from './endpoint.ts'
import { githubError, invalidField, notFound } from './errors.ts'
import { isoSeconds } from './ids.ts'
import type { GithubClient, GithubOAuth } from './oauth.ts'
import { simpleUser } from './present/account.ts'

/** Endpoints for an app's own tokens, authenticated with HTTP Basic. */
export function applicationRoutes({ context, oauth, data }: ApiParts): Routes {
  type Named = { client: GithubClient; token: string }
  const named =
    (act: (named: Named) => Reply | Promise<Reply>) =>
    async (request: LabRequest, params: Record<string, string>): Promise<Reply> => {
      const client = basicClient(oauth, request)
      if (client.key !== params['client_id']) return notFound()
      const token = jsonOf(request)['access_token']
      if (typeof token !== 'string') return invalidField('OauthAccess', 'access_token', 'missing_field')
      return act({ client, token })
    }
  const isIts = ({ client, token }: Named) => oauth.issued(client).includes(token) && oauth.caller(token) !== undefined

  async function revokeGrant({ client, token }: Named): Promise<Reply> {
    if (!isIts({ client, token })) return notFound()
    const owner = oauth.caller(token)?.person.id
    for (const other of oauth.issued(client))
      if (oauth.caller(other)?.person.id === owner) await oauth.revoke(client, other)
    return noContent()
  }

  function check({ client, token }: Named): Reply {
    const caller = isIts({ client, token }) ? oauth.caller(token) : undefined
    const account = data.account(caller?.person.username ?? '')
    if (!caller || !account) return notFound()
    const now = isoSeconds(context.clock.now())
    return json(200, {
      id: account.id,
      url: `${context.url()}/authorizations/${account.id}`,
      app: { name: client.name, url: client.registered[0] ?? '', client_id: client.key },
      token,
      hashed_token: createHash('sha256').update(token).digest('hex'),
      token_last_eight: token.slice(-8),
      note: null,
      note_url: null,
      created_at: now,
      updated_at: now,
      scopes: caller.scopes,
      fingerprint: null,
      expires_at: null,
      user: simpleUser({ url: context.url() }, account),
    })
  }

  return {
    'POST /applications/:client_id/token': named(check),
    'DELETE /applications/:client_id/token': named(async ({ client, token }) => {
      if (!isIts({ client, token })) return notFound()
      await oauth.revoke(client, token)
      return noContent()
    }),
    'DELETE /applications/:client_id/grant': named(revokeGrant),
  }
}

function basicClient(oauth: GithubOAuth, request: LabRequest): GithubClient {
  const encoded = /^Basic (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (encoded === undefined) throw new Refusal(githubError(401, 'Requires authentication'))
  const pair = Buffer.from(encoded, 'base64').toString()
  const cut = pair.indexOf(':')
  const client = oauth.client(pair.slice(0, cut))
  if (!client || client.secret !== pair.slice(cut + 1)) throw new Refusal(githubError(401, 'Bad credentials'))
  return client
}
