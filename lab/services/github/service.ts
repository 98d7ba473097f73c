import { makePeople } from '../../base/people.ts'
import type { Routes } from '../../base/router.ts'
import type { ServiceDefinition } from '../../base/service-parts.ts'
import { drawPicture } from '../../data/picture.ts'
import { accountRoutes } from './account-routes.ts'
import { activityRoutes } from './activity-routes.ts'
import { applicationRoutes } from './application-routes.ts'
import { githubControl } from './control.ts'
import { createGithubData } from './data.ts'
import { createEndpointFactory } from './endpoint.ts'
import { notFound } from './errors.ts'
import { issueRoutes } from './issue-routes.ts'
import { createGithubLimits } from './limits.ts'
import { brand, createGithubOAuth } from './oauth.ts'
import { repoRoutes } from './repo-routes.ts'
import { searchRoutes } from './search-routes.ts'

export const github: ServiceDefinition = {
  name: 'github',
  brand,
  build(context) {
    const people = makePeople((_username, at) => String(5_830_114 + at * 731), context.maxActivity)
    const oauth = createGithubOAuth(context, people)
    const data = createGithubData({ people, random: context.random, nowMs: context.clock.now() })
    const limits = createGithubLimits(context.clock)
    const parts = { context, oauth, data, limits }
    const endpoint = createEndpointFactory(parts)
    const routes: Routes = {
      ...oauth.routes,
      ...applicationRoutes(parts),
      ...accountRoutes(parts, endpoint),
      ...activityRoutes(parts, endpoint),
      ...repoRoutes(parts, endpoint),
      ...issueRoutes(parts, endpoint),
      ...searchRoutes(parts, endpoint),
      'GET /avatars/u/:id': (_request, { id = '' }) => drawPicture(`200x200-${Number(id) % 360}.svg`),
      ...unknownPaths(),
    }
    return {
      people,
      routes,
      endpoints: oauth.endpoints,
      register: oauth.register,
      settings: () => ({ ...oauth.settings, rateLimit: limits.settings }),
      configure({ rateLimit, ...rest }) {
        oauth.configure(rest)
        if (typeof rateLimit === 'object' && rateLimit !== null) limits.configure({ ...rateLimit })
      },
      tokens: oauth.tokens,
      data: githubControl(context, data),
    }
  },
}

/** Unknown paths get the vendor's 404 response. */
function unknownPaths(): Routes {
  const depths = Array.from(
    { length: 7 },
    (_, at) => `/${Array.from({ length: at + 1 }, (__, n) => `:p${n}`).join('/')}`,
  )
  return Object.fromEntries(depths.map((path) => [`GET ${path}`, () => notFound()]))
}
