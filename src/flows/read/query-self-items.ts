import { isSelfEndpoint } from '#kit/connector/self-map.ts'
import { AccountChanged, type VerifiedOrCachedAccount } from '#model/accounts/account.ts'
import type { Profile } from '#model/accounts/profile.ts'
import type { ParticipantRule, Query } from '#model/items/query.ts'
import { asHandle, searchWords } from '#model/items/search-words.ts'
import type { Term } from '#model/items/text-query.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import type { FoundItem } from '#store/items/query.ts'
import type { ItemScope, ReadDeps } from './find.ts'
import { selfItemOf, withSelf } from './self-items.ts'

/** Whether a path names the people's own records of a service. */
export function isSelfScope({
  readable,
  selection,
}: Pick<ItemScope<VerifiedOrCachedAccount>, 'readable' | 'selection'>): boolean {
  return 'endpoint' in selection && isSelfEndpoint(firstOf(readable).service, selection.endpoint)
}

/** The own records that match a query, in its order; at most one more than its limit. An account has few, so no index is needed. */
export async function querySelfItems(
  { database }: Pick<ReadDeps, 'database'>,
  { account, readable }: ItemScope<VerifiedOrCachedAccount>,
  query: Query,
): Promise<FoundItem[]> {
  // The statement that lists profiles does not verify the token.
  if ('cached' in account) throw new AccountChanged()
  const ids = new Set(withSelf(readable).map(({ profileId }) => profileId))
  const profiles = (await listProfiles(database, account)).filter((profile) => ids.has(profile.id))
  const direction = query.sort === 'asc' ? 1 : -1
  return profiles
    .map((profile) => ({ profile, item: selfItemOf(profile) }))
    .filter(({ profile, item }) => isMatch(profile, item, query))
    .map(({ item }) => item)
    .filter((item) => query.before === undefined || compare(item, query.before) * direction > 0)
    .sort((a, b) => compare(a, b) * direction)
    .slice(0, query.limit + 1)
}

function compare(a: { at: number; id: string }, b: { at: number; id: string }): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

function isMatch({ service, nativeId, person }: Profile, { at }: FoundItem, query: Query): boolean {
  const { since, until, terms, participants, near, link } = query
  // A person's own record has no dedupe keys, so it shares no link.
  if (at < since || at > until || near !== undefined || link !== undefined) return false
  if (!participants.every((rule) => takesPart(rule, service, nativeId))) return false
  return terms === undefined || matchesTerms([person.name, asHandle(person.handle), person.email], terms)
}

/** The person is the author, and nobody else takes part. */
function takesPart(rule: ParticipantRule, service: string, nativeId: string): boolean {
  if (rule.rule === 'any_of') return rule.users.get(service)?.includes(nativeId) === true
  return rule.rule === 'at_least' ? rule.count <= 1 : rule.id === undefined || rule.id === nativeId
}

function matchesTerms(texts: readonly (string | undefined)[], terms: readonly Term[]): boolean {
  const fields = texts.map((text) => searchWords(text ?? ''))
  const contains = ({ words, isBeginning }: Term) =>
    fields.some((field) =>
      field.some((_, start) =>
        words.every((word, i) => {
          const { bare, marked } = field[start + i] ?? {}
          const isPrefix = isBeginning && i === words.length - 1
          return [bare, marked].some((found) => (isPrefix ? found?.startsWith(word) : found === word))
        }),
      ),
    )
  return terms.length > 0 && terms.every((term) => contains(term) !== term.isUnwanted)
}
