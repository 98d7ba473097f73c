import { declareService } from '../../declare/service.ts'
import { accountResources } from './account-routes.ts'
import { activityResources } from './activity-routes.ts'
import { applicationRoutes } from './application-routes.ts'
import { githubControl } from './control.ts'
import { createGithubData } from './data.ts'
import { githubApi } from './endpoint.ts'
import { issueResources } from './issue-routes.ts'
import { createGithubLimits } from './limits.ts'
import { authorizePath, brand, createGithubOAuth, tokenPath } from './oauth.ts'
import { repoResources } from './repo-routes.ts'
import { searchResources } from './search-routes.ts'

export const github = declareService({
  name: 'github',
  brand,
  idOf: (_username, at) => String(5_830_114 + at * 731),
  endpoints: { authorize_url: authorizePath, token_url: tokenPath, api_url: '' },
  pictures: { path: '/avatars/u/:name', drawn: (id) => `200x200-${Number(id) % 360}.svg` },
  build(context, people) {
    const oauth = createGithubOAuth(context, people)
    const data = createGithubData({ people, random: context.random, nowMs: context.clock.now() })
    const limits = createGithubLimits(context.clock)
    const parts = { context, oauth, data, limits }
    const api = githubApi(parts)
    return {
      access: oauth,
      groups: { rateLimit: limits },
      data: githubControl(context, data),
      routes: {
        ...oauth.routes,
        ...applicationRoutes(parts),
        ...api.routes({
          ...accountResources(parts, api),
          ...activityResources(parts, api),
          ...repoResources(parts, api),
          ...issueResources(parts, api),
          ...searchResources(parts, api),
        }),
      },
    }
  },
})
