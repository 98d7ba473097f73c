import type { Profile } from '#model/accounts/profile.ts'
import { type Presentation, type PresentDeps, presentOne } from './present.ts'
import { selfItemOf } from './self-items.ts'

/** Formats the own record of a profile as every other path formats it. */
export function presentSelfItem(
  deps: PresentDeps,
  profile: Profile,
  options: Omit<Presentation, 'oembed'>,
): { text: string; version: string } {
  const { shard, id: profileId, service, nativeId: owner } = profile
  const readable = { shard, profileId, service, owner }
  return presentOne(deps, [readable], { ...options, oembed: false }, selfItemOf(profile))
}
