import type { Handler } from '../../base/router.ts'
import { createSignIn } from '../../base/sign-in.ts'
import { declareService } from '../../declare/service.ts'
import { twoServers } from '../../declare/two-servers.ts'
import { callRoute } from '../../oauth2/inside.ts'
import { createXBilling } from './billing.ts'
import { xControl } from './control.ts'
import { createXData } from './data.ts'
import { xApi } from './endpoint.ts'
import { createXLimits } from './limits.ts'
import { createXOAuth1 } from './oauth1.ts'
import { brand, createXOAuth2, paths } from './oauth2.ts'
import { messageResources } from './routes/message-routes.ts'
import { postResources } from './routes/post-routes.ts'
import { timelineResources } from './routes/timeline-routes.ts'
import { userResources } from './routes/user-routes.ts'
import { createXSubscriptions } from './subscriptions.ts'
import { createVocabulary } from './vocabulary.ts'

export const x = declareService({
  name: 'x',
  brand,
  idOf: (_username, at) => String(1_521_004_998_812_344_320n + BigInt(at) * 4_398_046_511_104n),
  endpoints: {
    authorize_url: paths.authorize,
    token_url: paths.token,
    revoke_url: paths.revoke,
    request_token_url: '/oauth/request_token',
    authenticate_url: '/oauth/authenticate',
    authorize_dm_url: '/oauth/authorize',
    access_token_url: '/oauth/access_token',
    api_url: '',
  },
  pictures: { path: '/media/:name', drawn: (name) => name.replace('_normal', '') },
  build(context, people) {
    const { clock } = context
    const signIn = createSignIn({ name: context.name, brand, people, clock })
    const oauth2 = createXOAuth2(context, people, signIn)
    const oauth1 = createXOAuth1(context, people, signIn)
    const data = createXData({ people, random: context.random, nowMs: clock.now(), now: () => clock.now() })
    const limits = createXLimits(clock)
    const billing = createXBilling(clock)
    const vocabulary = createVocabulary()
    const parts = { context, oauth1, oauth2, data, limits, billing, vocabulary }
    const api = xApi(parts)
    const subscriptions = createXSubscriptions(clock, oauth2, data)
    /** A denial redirects with `error=access_denied` and the state only. */
    const consent: Handler = async (request) => {
      const reply = await callRoute(signIn.routes, 'POST /consent', request)
      const { location } = reply.headers
      if (!location?.includes('error=access_denied')) return reply
      return { ...reply, headers: { ...reply.headers, location: location.replace(/&error_description=[^&]*/, '') } }
    }
    return {
      access: twoServers(oauth2, oauth1),
      own: vocabulary,
      groups: { rateLimit: limits, billing },
      data: subscriptions.notifying(xControl(context, data)),
      hooks: subscriptions.hooks,
      routes: {
        ...signIn.routes,
        'POST /consent': consent,
        ...oauth2.routes,
        ...oauth1.routes,
        ...subscriptions.routes,
        ...api.routes({
          ...userResources(parts, api),
          ...timelineResources(parts, api),
          ...postResources(parts, api),
          ...messageResources(parts, api),
        }),
      },
    }
  },
})
