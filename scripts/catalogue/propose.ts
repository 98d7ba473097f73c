import type { Category } from '../../src/kit/connector/catalogue-words.ts'
import type { Entry } from '../../src/kit/entry/entry-schema.ts'
import { domainOf } from './domain.ts'
import { defined, type Person, type SourceFacts } from './facts.ts'

/** What a person decided about the services of the sources: `choices.json`. */
export interface Choices {
  categories: Record<Category, string[]>
  titles: Record<string, string>
  docs: Record<string, string>
  /** What no source says, or says wrongly. It counts as no source. */
  people: Record<string, Chosen>
  /** Of sources that differ, the one whose addresses are right. */
  prefer: Record<string, string>
  /** Names that stand for something else here. */
  renamed: Record<string, string>
  /** Services that have ended or are closed to new apps, with the reason. */
  dead: Record<string, string>
  /** Services that are not offered for another reason. */
  leftOut: Record<string, string>
}

type Chosen = Pick<SourceFacts, 'authorize' | 'token' | 'profile' | 'scope' | 'client' | 'place' | 'headers'> &
  Person & { url?: string; post?: string; json?: object; params?: Record<string, string> }

export interface Proposal {
  service: string
  entry: Entry
  /** What the sources do not agree on, for a person to decide. */
  differences: string[]
}

/** An entry from what several sources say about one service; a sentence where none can be made. */
export function propose(
  service: string,
  all: readonly SourceFacts[],
  choices: Choices,
  checked: string,
): Proposal | string {
  const complete = all.filter(
    ({ authorize, token, request }) => authorize !== undefined && token !== undefined && request === undefined,
  )
  const chosen = choices.people[service]
  const [agreeing = []] = groupsOf(complete, choices.prefer[service])
  const [first] = agreeing
  if (first === undefined) return 'no source has both addresses'
  const who = whoOf(all, chosen)
  if (who === undefined) return 'no source says who the person is'
  const category = (Object.keys(choices.categories) as Category[]).find((each) =>
    choices.categories[each].includes(service),
  )
  if (category === undefined) return 'nobody chose a category'
  const isMoved = chosen?.authorize !== undefined || chosen?.token !== undefined
  const confirming = complete.filter(
    ({ authorize, token }) =>
      plain(authorize!) === plain(chosen?.authorize ?? first.authorize!) &&
      plain(token!) === plain(chosen?.token ?? first.token!),
  )
  const lists = [...new Set(confirming.map(({ source }) => source))]
  const sources = isMoved ? ['by-hand', ...lists] : lists
  const scoped = byPreference(agreeing).find((each) => (each.scope ?? []).length > 0)
  const separator = separatorOf(scoped, agreeing)
  const refresh = pick(agreeing, 'refresh')
  const client = chosen?.client ?? pick(agreeing, 'client')
  const entry = {
    title: choices.titles[service] ?? pick(all, 'title') ?? service,
    docs: choices.docs[service] ?? pick(all, 'docs') ?? siteOf(first.authorize!),
    checked,
    certainty: lists.length > 1 ? 'agreed' : 'declared',
    sources: [...new Set([...sources, who.source])].sort(),
    category,
    auth: {
      oauth2: defined({
        authorize: chosen?.authorize ?? first.authorize!,
        token: chosen?.token ?? first.token!,
        refresh: refresh === first.token ? undefined : refresh,
        revoke: pick(all, 'revoke'),
        scope: chosen?.scope ?? scoped?.scope,
        separator: separator === ' ' ? undefined : separator,
        client: client === 'basic_raw' ? client : undefined,
        params: chosen?.params === undefined ? undefined : { authorize: chosen.params },
        place: who.place,
      }),
    },
    api: defined({ base: who.base, headers: who.headers }),
    self: who.self,
  } as Entry
  return { service, entry, differences: differencesOf(complete, first, separator) }
}

/** An entry by hand with the lists that have its addresses; two of them make it agreed. */
export function withLists(entry: Entry, all: readonly SourceFacts[]): Entry {
  const { auth } = entry
  if (!('oauth2' in auth || 'oauth1' in auth)) return entry
  const own = addressesOf('oauth2' in auth ? auth.oauth2 : { ...auth.oauth1, token: auth.oauth1.access })
  const lists = [...new Set(all.filter((each) => addressesOf(each) === own).map(({ source }) => source))]
  if (lists.length === 0) return entry
  const certainty = lists.length > 1 ? 'agreed' : entry.certainty
  return { ...entry, certainty, sources: [...new Set([...entry.sources, ...lists])].sort() }
}

interface Who extends Pick<SourceFacts, 'source' | 'place' | 'headers'> {
  base: string
  self: object
}

/** The call that names the person: as somebody chose it, or from the source that is kept up to date. */
function whoOf(all: readonly SourceFacts[], chosen: Chosen | undefined): Who | undefined {
  if (chosen !== undefined) {
    const { profile, post, json, id, name, handle, email, photo, url, place, headers } = chosen
    const { base, path } = splitProfile(post ?? profile!)
    const fields = defined({ id, name, handle, email, photo, url })
    return {
      source: 'by-hand',
      base,
      place,
      headers,
      self: post === undefined ? { get: path, ...fields } : { post: path, json, ...fields },
    }
  }
  const best = byPreference(all).find(({ profile, person }) => profile !== undefined && person?.id !== undefined)
  if (best === undefined) return undefined
  const { base, path } = splitProfile(best.profile!)
  return { source: best.source, base, place: best.place, headers: best.headers, self: { get: path, ...best.person } }
}

/**
 * The sources with the same addresses: those of the preferred one first, then the group with most sources that are kept up to date, then
 * the largest. Old lists agree on old addresses.
 */
function groupsOf(all: readonly SourceFacts[], preferred: string | undefined): SourceFacts[][] {
  const groups = Map.groupBy(byPreference(all), addressesOf)
  const sourcesIn = (group: SourceFacts[]) => new Set(group.map(({ source }) => source))
  const rank = (group: SourceFacts[]): number => {
    const sources = sourcesIn(group)
    const kept = [...sources].filter((source) => !OLD.has(source)).length
    return (preferred !== undefined && sources.has(preferred) ? 10_000 : 0) + kept * 100 + sources.size
  }
  return [...groups.values()].sort((a, b) => rank(b) - rank(a))
}

/** Lists that nobody has kept up to date for a year or more. */
const OLD = new Set(['grant', 'oauthd', 'scribejava', 'hwi', 'hybridauth', 'go-oauth2'])

const addressesOf = ({ request, authorize, token }: Pick<SourceFacts, 'request' | 'authorize' | 'token'>): string =>
  [request, authorize, token].map((each) => plain(each ?? '')).join(' ')
const plain = (address: string): string => address.replace(/\/$/, '').replace('://www.', '://').toLowerCase()

/** Those with the person first, then those that are kept up to date. */
const PREFERRED = [
  'socialite',
  'auth-js',
  'social-core',
  'allauth',
  'aspnet',
  'openiddict',
  'better-auth',
  'nuxt',
  'pocketbase',
  'goth',
  'overtrue',
  'justauth',
  'appwrite',
  'activepieces',
  'home-assistant',
  'bell',
  'hwi',
  'hybridauth',
  'go-oauth2',
  'scribejava',
  'grant',
  'oauthd',
]
const byPreference = (all: readonly SourceFacts[]): SourceFacts[] =>
  all.toSorted((a, b) => PREFERRED.indexOf(a.source) - PREFERRED.indexOf(b.source))

function pick<Name extends keyof SourceFacts>(all: readonly SourceFacts[], name: Name): SourceFacts[Name] | undefined {
  return byPreference(all).find((each) => each[name] !== undefined)?.[name]
}

/** What a source uses with several scopes; otherwise what one declares. */
function separatorOf(scope: SourceFacts | undefined, all: readonly SourceFacts[]): string {
  if (scope !== undefined && (scope.scope ?? []).length > 1 && scope.separator !== undefined) return scope.separator
  return all.find(({ source }) => source === 'grant')?.separator ?? ' '
}

/** `https://api.example/v1/me` is the path `/me` below `https://api.example/v1`. */
export function splitProfile(profile: string): { base: string; path: string } {
  const url = new URL(profile)
  const segments = url.pathname.split('/').slice(1)
  const version = segments.findIndex((each) => /^v?\d+(?:[.-]\d+)*$/.test(each))
  const ends =
    version >= 0 && version < segments.length - 1 ? version + 1 : segments[0] === 'api' && segments.length > 1 ? 1 : 0
  const root = segments
    .slice(0, ends)
    .map((each) => `/${each}`)
    .join('')
  return { base: url.origin + root, path: `/${segments.slice(ends).join('/')}${url.search}` }
}

const siteOf = (address: string): string => `https://${domainOf(address)}`

function differencesOf(all: readonly SourceFacts[], chosen: SourceFacts, separator: string): string[] {
  return all.flatMap((each) => [
    ...(plain(each.authorize!) === plain(chosen.authorize!) ? [] : [`${each.source}: authorize ${each.authorize}`]),
    ...(plain(each.token!) === plain(chosen.token!) ? [] : [`${each.source}: token ${each.token}`]),
    ...(each.separator === undefined || (each.scope ?? []).length < 2 || each.separator === separator
      ? []
      : [`${each.source}: separator ${JSON.stringify(each.separator)}`]),
  ])
}
