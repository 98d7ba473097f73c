import { isoSeconds, nodeId } from '../ids.ts'
import type { Account } from '../model.ts'

export function simpleUser({ url }: { url: string }, { id, login }: Account) {
  const api = `${url}/users/${login}`
  return {
    login,
    id,
    node_id: nodeId('U', id),
    avatar_url: `${url}/avatars/u/${id}?v=4`,
    gravatar_id: '',
    url: api,
    html_url: `${url}/${login}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: 'User',
    user_view_type: 'public',
    site_admin: false,
  }
}

interface Counts {
  publicRepos: number
  privateRepos: number
  publicGists: number
  privateGists: number
  followers: number
  following: number
}

/** Empty profile fields are null, except `blog`, which is an empty string. */
export function fullUser(view: { url: string }, account: Account, counts: Counts) {
  const { name, email, bio, location, createdAtMs, login } = account
  return {
    ...simpleUser(view, account),
    name,
    company: null,
    blog: account.bio === '' ? '' : `https://${login}.tumblr.com`,
    location: location === '' ? null : location,
    email: email ?? null,
    hireable: null,
    bio: bio === '' ? null : bio,
    twitter_username: login.length % 2 === 0 ? null : login,
    public_repos: counts.publicRepos,
    public_gists: counts.publicGists,
    followers: counts.followers,
    following: counts.following,
    created_at: isoSeconds(createdAtMs),
    updated_at: isoSeconds(createdAtMs + 86_400_000),
  }
}

/** Fields visible to the person's own token only. */
export const privateUser = (view: { url: string }, account: Account, counts: Counts, showAll: boolean) => ({
  ...fullUser(view, account, counts),
  ...(showAll
    ? {
        user_view_type: 'private',
        private_gists: counts.privateGists,
        total_private_repos: counts.privateRepos,
        owned_private_repos: counts.privateRepos,
        disk_usage: 39_847,
        collaborators: 0,
        two_factor_authentication: true,
        plan: { name: 'free', space: 976_562_499, collaborators: 0, private_repos: 10_000 },
      }
    : {}),
})
