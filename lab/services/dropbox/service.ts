import { createRateLimit } from '../../base/rate-limit.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { createOAuth2Server } from '../../oauth2/server.ts'
import { dropboxApi } from './api.ts'
import { createDropboxData } from './data.ts'
import { dropboxWrites } from './writes.ts'

const brand = { title: 'Dropbox', mark: '◈', accent: '#0061fe' }
const paths = { authorize: '/oauth2/authorize', token: '/oauth2/token' }

export const dropbox = declareService({
  name: 'dropbox',
  brand,
  idOf: (username) => `dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQn${username}`.slice(0, 40),
  endpoints: {
    authorize_url: paths.authorize,
    token_url: paths.token,
    api_url: '/2',
  },
  build(context, people) {
    const { clock } = context
    const oauth = createOAuth2Server(context, {
      brand,
      people,
      paths,
      settings: {
        clientAuth: ['client_secret_post', 'client_secret_basic'],
        refresh: 'keep',
        accessTtlSeconds: 14_400,
        revocation: false,
        metadata: false,
        scopes: {
          'account_info.read': 'see your name and e-mail address',
          'files.metadata.read': 'see the names of your files and folders',
          'files.content.read': 'see the content of your files',
          'files.content.write': 'edit your files and folders',
          'sharing.read': 'see your shared links',
        },
        defaultScopes: ['account_info.read'],
        scopeChoice: false,
      },
      tokenFields: ({ id }) => ({ account_id: id, uid: String(12_345 + id.length) }),
    })
    const data = createDropboxData({ people, random: context.random, nowMs: clock.now() })
    const rateLimit = createRateLimit(clock, { limit: 1000, windowSeconds: 60 })
    // Changed by tests: cursors of an earlier generation are answered with `reset`.
    const cursors = { generation: 1 }
    const parts = { oauth, data, rateLimit, cursors }
    return {
      access: {
        ...oauth,
        get settings() {
          return { ...oauth.settings, cursors }
        },
        configure({ resetCursors, ...changes }) {
          oauth.configure(changes)
          if (resetCursors === true) cursors.generation += 1
        },
      },
      groups: { rateLimit },
      routes: { ...oauth.routes, ...dropboxApi(parts), ...dropboxWrites(parts, clock) },
      data: storeControl({
        store: data.store,
        clock,
        kinds: ['files'],
        nextId: data.nextId,
        blank: () => ({ path: '/New file.txt', tag: 'file', size: 1 }),
      }),
    }
  },
})
