import type { Person } from '#model/accounts/profile.ts'
import { wordsOf } from '#model/items/words.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** Limit: words of a person by which a search finds the profile; further ones are left out. */
const MAX_TERMS = 50
/** Limit: words of one search for people; further ones are ignored. */
const MAX_SEARCHED = 10
const SCOPE_CHARS = 6

/** Every term begins with a scope of the app: what other apps have does not slow a search down. */
const scopeOf = (appId: string) => appId.slice(-SCOPE_CHARS)

const findWithout = statement(
  'person-terms-missing',
  `select shard, id, app_id, native_id, self from profile where person_terms is null and merged_into is null
   order by shard, id limit $limit`,
)
const fill = statement(
  'person-terms-fill',
  'update profile set person_terms = $terms::text::tsvector where shard = $shard and id = $id and person_terms is null',
)

/** The words of a person or a source, and the native id, as a search vector. Words contain neither quotes nor spaces. */
export function personTerms(
  { appId, nativeId }: { appId: string; nativeId: string },
  { name = '', handle = '', email = '', source = '' }: Person,
): string {
  const words = new Set([nativeId, handle, email, source, name].flatMap((text) => wordsOf(text)))
  return Array.from(words.keys().take(MAX_TERMS), (word) => `'${scopeOf(appId)}${word}'`).join(' ')
}

/** Matches profiles that have all words of a text, each at the beginning of one of theirs. Undefined: it has no words. */
export function personQuery(appId: string, text: string): string | undefined {
  const words = wordsOf(text).slice(0, MAX_SEARCHED)
  return words.length === 0 ? undefined : words.map((word) => `'${scopeOf(appId)}${word}':*`).join(' & ')
}

/** Fills the terms of profiles that an older release wrote. Returns how many. */
export async function fillPersonTerms(queries: Queries, limit: number): Promise<number> {
  const rows = await queries.rows<{ shard: number; id: string; app_id: string; native_id: string; self: Person }>(
    findWithout.with({ limit }),
  )
  for (const { shard, id, app_id: appId, native_id: nativeId, self } of rows)
    await queries.count(fill.with({ shard, id, terms: personTerms({ appId, nativeId }, self) }))
  return rows.length
}
