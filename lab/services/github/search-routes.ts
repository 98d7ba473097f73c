import { first } from '../../base/pairs.ts'
import type { Reply } from '../../base/reply.ts'
import type { ApiParts, Call, GithubApi } from './endpoint.ts'
import { choiceParam, pagedReply } from './page.ts'
import { minimalRepo, presentCommit } from './present/repo.ts'
import { parseCommitQuery } from './search-query.ts'

const maxResults = 1000

export function searchResources({ data }: ApiParts, { own }: GithubApi) {
  /** The first thousand commits on the default branches of all repositories visible to the caller. */
  function commits(call: Call): Reply {
    const { request, viewer, may } = call
    const matches = parseCommitQuery(data, first(request.query, 'q'))
    // In the lab the committer and commit time equal the author and author time.
    choiceParam(request, 'sort', ['best-match', 'author-date', 'committer-date'])
    const order = choiceParam(request, 'order', ['desc', 'asc'])
    const found = data.accounts
      .flatMap(({ login }) => data.repos.shown(login))
      .filter(({ fields }) => !fields.private || (may('repo') && fields.owner === viewer.login))
      .flatMap((home) => {
        const fullName = data.nameOf(home)
        return data.commits.shown(fullName).map((item) => ({ fullName, item, home }))
      })
      .filter(matches)
      .sort((a, b) => b.item.createdAtMs - a.item.createdAtMs || (a.item.id < b.item.id ? -1 : 1))
    if (order === 'asc') found.reverse()
    return pagedReply({
      ...call,
      items: found,
      cap: maxResults,
      capMessage: 'Only the first 1000 search results are available',
      present: (one) => {
        const { committer: _, ...commit } = presentCommit(call, one)
        const { committer } = commit.commit
        return { ...commit, committer, repository: minimalRepo(call, one.home), score: 1 }
      },
      wrap: (items) => ({ total_count: found.length, incomplete_results: false, items }),
    })
  }

  return { 'GET /search/commits': own({ resource: 'search' }, commits) }
}
