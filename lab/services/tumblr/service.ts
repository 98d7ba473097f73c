import { redirect } from '../../base/reply.ts'
import type { DataControl, ServiceContext } from '../../base/service-parts.ts'
import { InvalidSetting } from '../../base/settings.ts'
import { storeControl } from '../../data/store-control.ts'
import { declareService } from '../../declare/service.ts'
import { activityResources } from './activity-routes.ts'
import { blogResources } from './blog-routes.ts'
import { createTumblrData, type TumblrData } from './data.ts'
import { tumblrApi } from './endpoint.ts'
import { blogUuid } from './ids.ts'
import { createTumblrLimits } from './limits.ts'
import { blankPost, type PostItem } from './model.ts'
import { brand, createTumblrOAuth, paths } from './oauth.ts'
import { userResources } from './user-routes.ts'
import { writeResources } from './write-routes.ts'

export const tumblr = declareService({
  name: 'tumblr',
  brand,
  idOf: (username) => blogUuid(username),
  endpoints: {
    authorize_url: paths.authorize,
    token_url: paths.token,
    request_token_url: '/oauth/request_token',
    oauth1_authorize_url: '/oauth/authorize',
    access_token_url: '/oauth/access_token',
    api_url: '',
  },
  pictures: { path: '/media/:name' },
  build(context, people) {
    const { clock, random } = context
    const oauth = createTumblrOAuth(context, people)
    const data = createTumblrData({ people, random, nowMs: clock.now(), now: () => clock.now() })
    const limits = createTumblrLimits(clock)
    const parts = { context, oauth, data, limits }
    const api = tumblrApi(parts)
    return {
      access: oauth.access,
      groups: { rateLimit: limits },
      data: tumblrControl(context, data),
      routes: {
        ...oauth.routes,
        'GET /v2/blog/:blog/avatar': (_request, { blog = '' }) =>
          redirect(`${context.url()}/media/64x64-${(blog.length * 47) % 360}.svg`),
        ...api.routes({
          ...userResources(parts, api),
          ...blogResources(parts, api),
          ...activityResources(parts, api),
          ...writeResources(parts, api),
        }),
      },
    }
  },
})

/** Posts are stored by blog (the primary blog is named like the person), likes by person. */
const tumblrControl = ({ clock }: ServiceContext, data: TumblrData): DataControl =>
  storeControl({
    store: data.store,
    clock,
    kinds: ['posts', 'likes'],
    nextId: ({ kind, fields: { id } }) => {
      if (kind === 'posts') return data.nextId()
      if (typeof id !== 'string' || !data.post(id))
        throw new InvalidSetting('kind must be posts, or likes with the id of a post')
      return id
    },
    blank: (kind, { owner }) => {
      if (kind === 'likes') return {}
      if (!data.blog(owner)) throw new InvalidSetting(`unknown blog: ${owner}`)
      return { ...blankPost(owner, 'A new post') }
    },
    onAdd: (kind, item) => void (kind === 'posts' && data.remember(item as unknown as PostItem)),
  })
