import { makePeople } from '../../base/people.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import type { Registration, ServiceDefinition } from '../../base/service-parts.ts'
import { createSignIn } from '../../base/sign-in.ts'
import { drawPicture } from '../../data/picture.ts'
import { oauth1SettingRules } from '../../oauth1/settings.ts'
import { createXBilling } from './billing.ts'
import { xControl } from './control.ts'
import { createXData } from './data.ts'
import { createEndpointFactory } from './endpoint.ts'
import { createXLimits } from './limits.ts'
import { messageRoutes } from './message-routes.ts'
import { createXOAuth1 } from './oauth1.ts'
import { brand, createXOAuth2 } from './oauth2.ts'
import { postRoutes } from './post-routes.ts'
import { plainProblem } from './problems.ts'
import { createXSubscriptions } from './subscriptions.ts'
import { timelineRoutes } from './timeline-routes.ts'
import { userRoutes } from './user-routes.ts'
import { createVocabulary } from './vocabulary.ts'

export const x: ServiceDefinition = {
  name: 'x',
  brand,
  build(context) {
    const { clock } = context
    const people = makePeople(
      (_username, at) => String(1_521_004_998_812_344_320n + BigInt(at) * 4_398_046_511_104n),
      context.maxActivity,
    )
    const signIn = createSignIn({ name: context.name, brand, people, clock })
    const oauth2 = createXOAuth2(context, people, signIn)
    const oauth1 = createXOAuth1(context, people, signIn)
    const data = createXData({ people, random: context.random, nowMs: clock.now(), now: () => clock.now() })
    const limits = createXLimits(clock)
    const billing = createXBilling(clock)
    const vocabulary = createVocabulary()
    const parts = { context, oauth1, oauth2, data, limits, billing, vocabulary }
    const endpoint = createEndpointFactory(parts)
    const subscriptions = createXSubscriptions(clock, oauth2, data)
    const routes: Routes = {
      ...signIn.routes,
      'POST /consent': withoutDescription(signIn.routes['POST /consent']),
      ...oauth2.routes,
      ...oauth1.routes,
      ...userRoutes(parts, endpoint),
      ...timelineRoutes(parts, endpoint),
      ...postRoutes(parts, endpoint),
      ...messageRoutes(parts, endpoint),
      ...subscriptions.routes,
      'GET /media/:name': (_request, { name = '' }) => drawPicture(name.replace('_normal', '')),
      ...unknownPaths(),
    }
    const touch = (action: 'revoke' | 'expire', person?: string) =>
      oauth2.tokens[action](person) + (action === 'revoke' ? oauth1.tokens.revoke(person) : 0)
    return {
      people,
      routes,
      endpoints: () => ({
        authorize_url: `${context.url()}/i/oauth2/authorize`,
        token_url: `${context.url()}/2/oauth2/token`,
        revoke_url: `${context.url()}/2/oauth2/revoke`,
        request_token_url: `${context.url()}/oauth/request_token`,
        authenticate_url: `${context.url()}/oauth/authenticate`,
        authorize_dm_url: `${context.url()}/oauth/authorize`,
        access_token_url: `${context.url()}/oauth/access_token`,
        api_url: context.url(),
      }),
      register(registration: Registration) {
        const pair = oauth2.register(registration)
        const { settings: _, ...rest } = registration
        oauth1.register({ ...rest, ...pair })
        return pair
      },
      settings: () => ({
        ...oauth2.settings,
        ...oauth1.settings,
        rateLimit: limits.settings,
        billing: billing.shown(),
        ...vocabulary.settings,
      }),
      configure({ rateLimit, billing: credit, vocabulary: words, ...rest }) {
        if (words !== undefined) vocabulary.configure({ vocabulary: words })
        for (const [name, value] of Object.entries(rest))
          (Object.hasOwn(oauth1SettingRules, name) ? oauth1 : oauth2).configure({ [name]: value })
        if (typeof rateLimit === 'object' && rateLimit !== null) limits.configure({ ...rateLimit })
        if (typeof credit === 'object' && credit !== null) billing.configure({ ...credit })
      },
      tokens: { revoke: (person) => touch('revoke', person), expire: (person) => touch('expire', person) },
      data: subscriptions.notifying(xControl(context, data)),
      hooks: subscriptions.hooks,
    }
  },
}

/** A denial redirects with `error=access_denied` and the state only. */
function withoutDescription(consent: Handler | undefined): Handler {
  return async (request: LabRequest, params) => {
    if (!consent) throw new Error('no consent page')
    const reply = await consent(request, params)
    const { location } = reply.headers
    if (typeof location !== 'string' || !location.includes('error=access_denied')) return reply
    return { ...reply, headers: { ...reply.headers, location: location.replace(/&error_description=[^&]*/, '') } }
  }
}

function unknownPaths(): Routes {
  const depths = Array.from(
    { length: 6 },
    (_, at) => `/2/${Array.from({ length: at + 1 }, (__, n) => `:p${n}`).join('/')}`,
  )
  return Object.fromEntries(depths.map((path) => [`GET ${path}`, () => plainProblem(404, 'Not Found')]))
}
