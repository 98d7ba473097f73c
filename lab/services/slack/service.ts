import { makePeople } from '../../base/people.ts'
import type { ServiceDefinition } from '../../base/service-parts.ts'
import { isTextList } from '../../base/settings.ts'
import { drawPicture } from '../../data/picture.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { slackApi } from './api.ts'
import { createSlackData } from './data.ts'
import { createSlackEvents } from './events.ts'
import { createSlackLimits } from './limits.ts'
import { loginPaths, loginRoutes, scopes } from './login.ts'

const brand = { title: 'Slack', mark: '#', accent: '#4a154b' }

export const slack: ServiceDefinition = {
  name: 'slack',
  brand,
  build(context) {
    const { clock, url } = context
    const people = makePeople((username, at) => `U0${username.toUpperCase()}${at}`, context.maxActivity)
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
      people,
      routes: {
        ...loginRoutes({ oauth, onInstall: events.installed }),
        'GET /pictures/:name': (_request, { name = '' }) => drawPicture(name),
        ...slackApi({ context, oauth, people, data, limits, refused }),
      },
      endpoints: () => ({
        authorize_url: `${url()}${loginPaths.authorize}`,
        token_url: `${url()}${loginPaths.token}`,
        revoke_url: `${url()}/api/auth.revoke`,
        api_url: `${url()}/api`,
      }),
      register: oauth.register,
      settings: () => ({ ...oauth.settings, rateLimit: limits.settings, refusedChannels: [...refused] }),
      configure({ rateLimit, refusedChannels, ...rest }) {
        oauth.configure(rest)
        if (typeof rateLimit === 'object' && rateLimit !== null) limits.configure({ ...rateLimit })
        if (!isTextList(refusedChannels)) return
        refused.clear()
        for (const id of refusedChannels as string[]) refused.add(id)
      },
      tokens: {
        expire: (person) => oauth.tokens.expire(person),
        revoke(person) {
          const ended = oauth.tokens.revoke(person)
          if (ended > 0) events.revoked(person)
          return ended
        },
      },
      hooks: events.hooks,
      data: events.data,
    }
  },
}
