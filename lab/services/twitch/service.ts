import { first } from '../../base/pairs.ts'
import { createRateLimit } from '../../base/rate-limit.ts'
import { json } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { Handler } from '../../base/router.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { twitchApi } from './api.ts'
import { createTwitchData, kinds } from './data.ts'

const brand = { title: 'Twitch', mark: '▣', accent: '#9146ff' }
const paths = { authorize: '/oauth2/authorize', token: '/oauth2/token', revoke: '/oauth2/rfc7009' }

export const twitch = declareService({
  name: 'twitch',
  brand,
  idOf: (_username, at) => String(141_981_764 + at * 7),
  endpoints: {
    authorize_url: paths.authorize,
    token_url: paths.token,
    revoke_url: '/oauth2/revoke',
    api_url: '/helix',
  },
  build(context, people) {
    const { clock } = context
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      paths,
      settings: {
        pkce: 'off',
        clientAuth: ['client_secret_post'],
        refresh: 'repeat',
        accessTtlSeconds: 14_400,
        metadata: false,
        scopeChoice: false,
        scopes: {
          'user:read:email': 'see your e-mail address',
          'user:read:follows': 'see the channels that you follow',
          'moderator:read:followers': 'see who follows your channel',
          'channel:read:subscriptions': 'see who subscribes to your channel',
        },
      },
    })
    const secrets = new Map<string, string>()
    const data = createTwitchData({ people, random: context.random, nowMs: clock.now() })
    const rateLimit = createRateLimit(clock, { limit: 800, windowSeconds: 60 })

    /** Scopes of a token response are a list at Twitch. */
    const token: Handler = async (request) => {
      const reply = await oauth.routes[`POST ${paths.token}`]!(request, {})
      const fields = JSON.parse(reply.body.toString()) as { scope?: string; error?: string; error_description?: string }
      if (fields.error !== undefined)
        return json(reply.status === 401 ? 403 : 400, { status: 400, message: messageOf(fields.error) })
      return json(200, {
        ...fields,
        scope: (fields.scope ?? '').split(' ').filter((one) => one !== ''),
        token_type: 'bearer',
      })
    }

    /** Takes the key and an access token; no secret. */
    const revoke: Handler = async (request) => {
      const fields = formOf(request)
      const [key, value] = [first(fields, 'client_id') ?? '', first(fields, 'token') ?? '']
      const secret = secrets.get(key)
      if (secret === undefined) return json(404, { status: 404, message: 'client does not exist' })
      try {
        oauth.guard({ ...request, headers: { authorization: `Bearer ${value}` } })
      } catch {
        return json(400, { status: 400, message: 'Invalid token' })
      }
      const body = new URLSearchParams({ client_id: key, client_secret: secret, token: value }).toString()
      return oauth.routes[`POST ${paths.revoke}`]!({ ...request, body: Buffer.from(body) } satisfies LabRequest, {})
    }

    /** Says what a token is good for, to everybody who has it. */
    const validate: Handler = (request) => {
      const value = /^(?:OAuth|Bearer) (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
      try {
        const { person, scopes, client } = oauth.guard({ ...request, headers: { authorization: `Bearer ${value}` } })
        return json(200, {
          client_id: client.key,
          login: person.username,
          scopes,
          user_id: person.id,
          expires_in: 5_520_838,
        })
      } catch {
        return json(401, { status: 401, message: 'invalid access token' })
      }
    }

    return {
      access: {
        ...oauth,
        register(registration) {
          const made = oauth.register(registration)
          secrets.set(made.key, made.secret)
          return made
        },
      },
      groups: { rateLimit },
      routes: {
        ...oauth.routes,
        [`POST ${paths.token}`]: token,
        'POST /oauth2/revoke': revoke,
        'GET /oauth2/validate': validate,
        ...twitchApi({ oauth, data, rateLimit }),
      },
      data: storeControl({
        store: data.store,
        clock,
        kinds,
        nextId: data.nextId,
        blank: () => ({ title: 'New', duration: '1m0s', views: 0 }),
      }),
    }
  },
})

const messageOf = (error: string): string =>
  ({ invalid_client: 'invalid client secret', invalid_grant: 'Invalid refresh token' })[error] ?? error
