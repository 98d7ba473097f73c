import { createRateLimit } from '../../base/rate-limit.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService, settingGroup } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { type ApiParts, spotifyApi } from './api.ts'
import { createSpotifyData, kinds } from './data.ts'
import { playlistRoutes } from './playlists.ts'

const brand = { title: 'Spotify', mark: '♫', accent: '#1a7f3c' }

export const spotify = declareService({
  name: 'spotify',
  brand,
  idOf: (username, at) => `31${username}${at}k7f2`,
  endpoints: {
    api_url: '/v1',
  },
  standardEndpoints: true,
  pictures: { path: '/image/:name', drawn: () => '300x300-140.svg' },
  build(context, people) {
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      paths: { authorize: '/authorize', token: '/api/token' },
      settings: {
        clientAuth: ['client_secret_basic', 'client_secret_post', 'none'],
        refresh: 'keep',
        accessTtlSeconds: 3600,
        codeTtlSeconds: 600,
        revocation: false,
        metadata: false,
        scopes: {
          'user-read-private': 'see your name and picture',
          'user-read-email': 'see your e-mail address',
          'user-library-read': 'see what you saved',
          'user-read-recently-played': 'see what you played',
          'user-follow-read': 'see whom you follow',
          'user-top-read': 'see what you listen to most',
          'playlist-read-private': 'see your playlists',
          'playlist-read-collaborative': 'see the playlists you work on with others',
          'playlist-modify-public': 'change your public playlists',
          'playlist-modify-private': 'change your private playlists',
        },
        defaultScopes: [],
        scopeChoice: false,
      },
    })
    const data = createSpotifyData({ people, random: context.random, nowMs: context.clock.now() })
    const rateLimit = createRateLimit(context.clock, { limit: 1000, windowSeconds: 30 })
    const quota: ApiParts['quota'] = { quota: 'development' }
    const parts = { context, oauth, data, rateLimit, quota }
    return {
      access: oauth,
      own: settingGroup(quota, { quota: ['development', 'extended'] }),
      groups: { rateLimit },
      routes: {
        ...oauth.routes,
        ...spotifyApi(parts),
        ...playlistRoutes(parts),
      },
      data: storeControl({
        store: data.store,
        clock: context.clock,
        kinds: [
          ...kinds,
          ...people.flatMap(({ username }) => data.store.list(username, 'playlists').map(({ id }) => `entries ${id}`)),
        ],
        nextId: data.nextId,
        blank: () => ({ track: data.tracks[0], album: data.tracks[0]?.album, name: 'New', owner: '' }),
      }),
    }
  },
})
