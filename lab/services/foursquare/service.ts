import { drawPicture } from '../../data/picture.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { foursquareApi } from './api.ts'
import { createFoursquareData, kinds } from './data.ts'
import { blankCheckin } from './generate.ts'
import { createFoursquareLimits } from './limits.ts'
import { loginPaths, loginRoutes } from './login.ts'

const brand = { title: 'Foursquare', mark: '⚑', accent: '#3333c4' }

export const foursquare = declareService({
  name: 'foursquare',
  brand,
  idOf: (_username, at) => String(2_400_011 + at * 1_013),
  endpoints: {
    authorize_url: loginPaths.authorize,
    token_url: loginPaths.token,
    api_url: '/v2',
  },
  build(context, people) {
    const { clock } = context
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      paths: loginPaths,
      settings: {
        pkce: 'off',
        clientAuth: ['query'],
        refresh: 'none',
        accessTtlSeconds: 0,
        codeTtlSeconds: 600,
        bearer: ['header', 'query'],
        bearerQueryParam: 'oauth_token',
        revocation: false,
        metadata: false,
      },
    })
    const data = createFoursquareData({ people, random: context.random, nowMs: clock.now() })
    const limits = createFoursquareLimits(clock)
    return {
      access: oauth,
      groups: { rateLimit: limits },
      routes: {
        ...loginRoutes(oauth),
        'GET /img/:size/:name': (_request, { size = '', name = '' }) => drawPicture(pictureName(size, name)),
        ...foursquareApi({ context, oauth, data, limits }),
      },
      data: storeControl({
        store: data.store,
        clock,
        kinds,
        nextId: data.nextId,
        blank: () => ({
          ...blankCheckin(data.venues[0]!),
          text: '',
          agreeCount: 0,
          width: 1440,
          height: 1440,
          hue: 60,
        }),
      }),
    }
  },
})

/** `500x300`, `width500`, `height500`, `cap500` or `original`. */
function pictureName(size: string, name: string): string {
  const exact = /^(\d{1,4})x(\d{1,4})$/.exec(size)
  const side = /^(?:width|height|cap)(\d{1,4})$/.exec(size)?.[1] ?? '1440'
  return exact ? `${size}-${name}` : `${side}x${side}-${name}`
}
