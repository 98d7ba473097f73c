import { isTextList } from '../../base/settings.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { slackApi } from './api.ts'
import { createSlackData } from './data.ts'
import { createSlackEvents } from './events.ts'
import { createSlackLimits } from './limits.ts'
import { loginPaths, loginRoutes, scopes } from './login.ts'

const brand = { title: 'Slack', mark: '#', accent: '#4a154b' }

export const slack = declareService({
  name: 'slack',
  brand,
  idOf: (username, at) => `U0${username.toUpperCase()}${at}`,
  endpoints: {
    authorize_url: loginPaths.authorize,
    token_url: loginPaths.token,
    revoke_url: '/api/auth.revoke',
    api_url: '/api',
  },
  pictures: { path: '/pictures/:name' },
  build(context, people) {
    const { clock } = context
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      paths: loginPaths,
      settings: {
        pkce: 'off',
        clientAuth: ['client_secret_basic', 'client_secret_post'],
        scopes,
        defaultScopes: [],
        scopeSeparator: ',',
        scopeChoice: false,
        // Rotation is a setting of an app: `{ refresh: 'rotate', accessTtlSeconds: 43200 }`.
        refresh: 'none',
        accessTtlSeconds: 0,
        codeTtlSeconds: 600,
        revocation: false,
        metadata: false,
      },
    })
    const data = createSlackData({ people, random: context.random, clock })
    const events = createSlackEvents({ clock, people, data })
    const limits = createSlackLimits(clock)
    const refused = new Set<string>()
    return {
      access: {
        ...oauth,
        get settings() {
          return { ...oauth.settings, refusedChannels: [...refused] }
        },
        configure({ refusedChannels, ...rest }) {
          oauth.configure(rest)
          if (!isTextList(refusedChannels)) return
          refused.clear()
          for (const id of refusedChannels as string[]) refused.add(id)
        },
        tokens: {
          ...oauth.tokens,
          revoke(person) {
            const ended = oauth.tokens.revoke(person)
            if (ended > 0) events.revoked(person)
            return ended
          },
        },
      },
      groups: { rateLimit: limits },
      routes: {
        ...loginRoutes({ oauth, onInstall: events.installed }),
        ...slackApi({ context, oauth, people, data, limits, messages: events.data, refused }),
      },
      hooks: events.hooks,
      data: events.data,
    }
  },
})
