import { makePeople } from '../../base/people.ts'
import type { Routes } from '../../base/router.ts'
import type { DataControl, ServiceContext, ServiceDefinition } from '../../base/service-parts.ts'
import { InvalidSetting } from '../../base/settings.ts'
import { drawPicture } from '../../data/picture.ts'
import { storeControl } from '../../data/store-control.ts'
import { activityRoutes } from './activity-routes.ts'
import { blogRoutes } from './blog-routes.ts'
import { createTumblrData, type TumblrData } from './data.ts'
import { createEndpointFactory } from './endpoint.ts'
import { failure } from './envelope.ts'
import { blogUuid } from './ids.ts'
import { createTumblrLimits } from './limits.ts'
import { blankPost } from './model.ts'
import { brand, createTumblrOAuth } from './oauth.ts'
import { userRoutes } from './user-routes.ts'
import { writeRoutes } from './write-routes.ts'

export const tumblr: ServiceDefinition = {
  name: 'tumblr',
  brand,
  build(context) {
    const { clock } = context
    const people = makePeople((username) => blogUuid(username), context.maxActivity)
    const oauth = createTumblrOAuth(context, people)
    const data = createTumblrData({ people, random: context.random, nowMs: clock.now(), now: () => clock.now() })
    const limits = createTumblrLimits(clock)
    const parts = { context, oauth, data, limits }
    const endpoint = createEndpointFactory(parts)
    const routes: Routes = {
      ...oauth.routes,
      ...userRoutes(parts, endpoint),
      ...blogRoutes(parts, endpoint),
      ...activityRoutes(parts, endpoint),
      ...writeRoutes(parts, endpoint),
      'GET /media/:name': (_request, { name = '' }) => drawPicture(name),
      ...unknownPaths(),
    }
    return {
      people,
      routes,
      endpoints: () => ({
        authorize_url: `${context.url()}/oauth2/authorize`,
        token_url: `${context.url()}/v2/oauth2/token`,
        request_token_url: `${context.url()}/oauth/request_token`,
        oauth1_authorize_url: `${context.url()}/oauth/authorize`,
        access_token_url: `${context.url()}/oauth/access_token`,
        api_url: context.url(),
      }),
      register: oauth.register,
      settings: () => ({ ...oauth.settings(), rateLimit: limits.settings }),
      configure({ rateLimit, ...rest }) {
        oauth.configure(rest)
        if (typeof rateLimit === 'object' && rateLimit !== null) limits.configure({ ...rateLimit })
      },
      tokens: oauth.tokens,
      data: tumblrControl(context, data),
    }
  },
}

/** Posts are stored by blog (the primary blog is named like the person), likes by person. */
function tumblrControl(context: ServiceContext, data: TumblrData): DataControl {
  const { store } = data
  const control = storeControl({ store, clock: context.clock, kinds: ['posts', 'likes'], nextId: data.nextId })
  return {
    add(owner, kind, fields) {
      const now = context.clock.now()
      const times = { createdAtMs: now, updatedAtMs: now }
      if (kind === 'posts') {
        if (!data.blog(owner)) throw new InvalidSetting(`unknown blog: ${owner}`)
        const whole = { ...blankPost(owner, 'A new post'), ...fields }
        const item = data.remember(store.put(owner, 'posts', { id: data.nextId(), ...times, fields: whole }))
        return { id: item.id, ...whole }
      }
      const id = typeof fields['id'] === 'string' ? fields['id'] : ''
      if (kind !== 'likes' || !data.post(id))
        throw new InvalidSetting('kind must be posts, or likes with the id of a post')
      store.put(owner, 'likes', { id, ...times, fields: {} })
      return { id }
    },
    edit: (owner, kind, id, fields) => control.edit(owner, kind, id, fields),
    remove: (owner, kind, id) => control.remove(owner, kind, id),
  }
}

function unknownPaths(): Routes {
  const depths = Array.from(
    { length: 5 },
    (_, at) => `/v2/${Array.from({ length: at + 1 }, (__, n) => `:p${n}`).join('/')}`,
  )
  return Object.fromEntries(depths.map((path) => [`GET ${path}`, () => failure(404, 'There is nothing here')]))
}
