import { kind, timeOf } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'
import type { User } from './kinds.ts'

interface Written {
  body?: string | null
  html_url?: string
  user?: User | null
}

interface Thread {
  number?: number
  title?: string
  html_url?: string
  user?: User | null
  assignees?: User[] | null
}

/** The fields that are read, of all types of events. */
interface Payload {
  action?: string
  ref?: string | null
  ref_type?: string
  before?: string
  head?: string
  number?: number
  issue?: Thread
  pull_request?: Thread
  discussion?: Thread
  comment?: Written
  review?: Written
  release?: { name?: string | null; tag_name?: string; body?: string | null; html_url?: string }
  forkee?: { full_name?: string; html_url?: string }
  member?: User
  pages?: { title?: string; html_url?: string }[]
}

export interface Event {
  id: string
  type?: string | null
  actor?: { id?: number; login?: string; avatar_url?: string }
  repo?: { id?: number; name?: string }
  payload?: Payload
  created_at?: string | null
}

const SITE = 'https://github.com'
/** Events that refer to something, without text of their own. */
const REFERRING_EVENTS = new Set(['WatchEvent', 'ForkEvent', 'PublicEvent', 'ReleaseEvent', 'CreateEvent'])

const typesOf = ({ type }: Event): BaseType[] => (REFERRING_EVENTS.has(type ?? '') ? ['news'] : ['statuses'])

const repoPage = ({ repo }: Event) => (repo?.name === undefined ? undefined : `${SITE}/${repo.name}`)
const capital = (word: string | undefined) => (word ? word[0]!.toUpperCase() + word.slice(1) : 'Changed')

/** A title for the event, because the API has none. */
function titleOf({ type, repo, payload = {} }: Event): string {
  const at = repo?.name ?? 'a repository'
  const branch = payload.ref?.replace(/^refs\/(heads|tags)\//, '')
  const thread = payload.issue ?? payload.discussion ?? payload.pull_request
  const number = thread?.number ?? payload.number
  const named = [number === undefined ? '' : `#${number}`, thread?.title].filter(Boolean).join(' ')
  switch (type ?? '') {
    case 'PushEvent':
      return `Pushed to ${branch} of ${at}`
    case 'CreateEvent':
      return payload.ref_type === 'repository' ? `Created ${at}` : `Created ${payload.ref_type} ${branch} of ${at}`
    case 'DeleteEvent':
      return `Deleted ${payload.ref_type} ${branch} of ${at}`
    case 'WatchEvent':
      return `Starred ${at}`
    case 'ForkEvent':
      return `Forked ${at} to ${payload.forkee?.full_name}`
    case 'PublicEvent':
      return `Made ${at} public`
    case 'MemberEvent':
      return `Added ${payload.member?.login} to ${at}`
    case 'ReleaseEvent':
      return `Released ${payload.release?.name || payload.release?.tag_name} of ${at}`
    case 'GollumEvent':
      return `Edited the wiki of ${at}: ${(payload.pages ?? []).map(({ title }) => title).join(', ')}`
    case 'IssuesEvent':
      return `${capital(payload.action)} issue ${named} of ${at}`
    case 'PullRequestEvent':
      return `${capital(payload.action)} pull request ${named} of ${at}`
    case 'DiscussionEvent':
      return `${capital(payload.action)} discussion ${named} of ${at}`
    case 'PullRequestReviewEvent':
      return `Reviewed pull request ${named} of ${at}`
    case 'IssueCommentEvent':
    case 'CommitCommentEvent':
    case 'PullRequestReviewCommentEvent':
      return `Commented on ${named || 'a commit'} of ${at}`
    default:
      return `${(type ?? 'Event').replace(/Event$/, '').replaceAll(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} in ${at}`
  }
}

/** The text that the person wrote. */
const textOf = ({ payload }: Event) =>
  payload?.comment?.body ?? payload?.review?.body ?? payload?.release?.body ?? undefined

function pageOf(event: Event): string | undefined {
  const { payload = {} } = event
  const { comment, review, issue, pull_request, discussion, release, forkee, pages, before, head, number } = payload
  const things = [comment, review, issue, pull_request, discussion, release, forkee, pages?.[0]]
  const page = things.find((thing) => thing?.html_url !== undefined)?.html_url
  if (page !== undefined) return page
  const home = repoPage(event)
  if (home === undefined) return undefined
  const pull = pull_request?.number ?? number
  // Pull requests in events have no URL of their page.
  if (pull_request !== undefined && pull !== undefined) return `${home}/pull/${pull}`
  return before && head ? `${home}/compare/${before}...${head}` : home
}

export const event = kind<Event>({
  name: 'event',
  id: ({ id }) => id,
  at: ({ created_at }) => timeOf(created_at),
  types: typesOf,
  participants: ({ actor, payload }) => {
    const { issue, pull_request, discussion, member, comment } = payload ?? {}
    const thread = issue ?? pull_request ?? discussion
    return {
      author: actor?.id,
      others: [comment?.user, thread?.user, ...(thread?.assignees ?? []), member].map((person) => person?.id),
    }
  },
  map: {
    text: (one) => [titleOf(one), textOf(one)].filter(Boolean).join('\n\n'),
    author: ({ actor }) =>
      actor && {
        name: actor.login,
        handle: actor.login,
        photo: actor.avatar_url,
        url: actor.login === undefined ? undefined : `${SITE}/${actor.login}`,
      },
    url: pageOf,
  },
  card: {
    title: titleOf,
    description: textOf,
    provider_url: repoPage,
    thumbnail_url: ({ actor }) => actor?.avatar_url,
  },
})
