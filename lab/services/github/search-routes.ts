import { first } from '../../base/pairs.ts'
import type { Reply } from '../../base/reply.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { ApiCall, ApiParts, EndpointFactory } from './endpoint.ts'
import type { RepoFields } from './model.ts'
import { choiceParam, pagedReply } from './page.ts'
import { minimalRepo, presentCommit } from './present-repo.ts'
import { parseCommitQuery } from './search-query.ts'

const maxResults = 1000

export function searchRoutes({ context, data }: ApiParts, endpoint: EndpointFactory): Routes {
  const visibleRepos = ({ viewer, may }: ApiCall): StoredItem[] =>
    data.accounts
      .flatMap(({ login }) => data.store.list(login, 'repos'))
      .filter((item) => {
        const { private: isPrivate, owner } = item.fields as RepoFields
        return isShown(item) && (!isPrivate || (may('repo') && owner === viewer.login))
      })

  /** The first thousand commits on the default branches of all repositories visible to the caller. */
  function commits(call: ApiCall): Reply {
    const { request, presenter } = call
    const matches = parseCommitQuery(data, first(request.query, 'q'))
    // In the lab the committer and commit time equal the author and author time.
    choiceParam(request, 'sort', ['best-match', 'author-date', 'committer-date'])
    const order = choiceParam(request, 'order', ['desc', 'asc'])
    const found = visibleRepos(call)
      .flatMap((repo) => {
        const name = `${(repo.fields as RepoFields).owner}/${(repo.fields as RepoFields).name}`
        return data.store.list(name, 'commits').map((item) => ({ repo: name, item, home: repo }))
      })
      .filter((one) => isShown(one.item) && matches(one))
      .sort((a, b) => b.item.createdAtMs - a.item.createdAtMs || (a.item.id < b.item.id ? -1 : 1))
    if (order === 'asc') found.reverse()
    return pagedReply({
      url: context.url(),
      request,
      items: found,
      cap: maxResults,
      capMessage: 'Only the first 1000 search results are available',
      present: ({ repo, item, home }) => {
        const { committer: _, ...commit } = presentCommit(presenter, repo, item)
        const { committer } = commit.commit
        return { ...commit, committer, repository: minimalRepo(presenter, home), score: 1 }
      },
      wrap: (items) => ({ total_count: found.length, incomplete_results: false, items }),
    })
  }

  return { 'GET /search/commits': endpoint([], commits, { resource: 'search' }) }
}
