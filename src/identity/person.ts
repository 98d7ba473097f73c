import type { Account } from '#model/accounts/account.ts'
import { byLastConnected, type Person, type Profile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { encodePart } from '#model/input/percent-encoding.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import type { IdentityDeps } from './deps.ts'

/** One person from all profiles: each field comes from the profile connected last of those that have it. */
export async function presentPerson(
  { database }: Pick<IdentityDeps, 'database'>,
  account: Account,
): Promise<Record<string, unknown>> {
  const profiles = (await listProfiles(database, account)).sort(byLastConnected)
  const first = (field: keyof Person) =>
    profiles.map(({ person }) => person[field]).find((value) => value !== undefined && value !== '')
  return {
    id: account.id,
    name: first('name'),
    email: first('email'),
    handle: first('handle'),
    url: first('url'),
    thumbnail_url: first('photo'),
    description: first('description'),
    location: first('location'),
    services: presentServices(profiles),
  }
}

/** By profile name: `service` for the one connected last, as in every path, and `id@service` for the others of that service. */
function presentServices(profiles: readonly Profile[]): Record<string, unknown> {
  const groups = [...Map.groupBy(profiles, ({ service }) => service)].sort(([a], [b]) => (a < b ? -1 : 1))
  const named = groups.flatMap(([service, group]) =>
    group.map((profile, i) => [i === 0 ? service : profileName(profile), presentOne(profile)] as const),
  )
  return Object.fromEntries(named)
}

function presentOne(profile: Profile): Record<string, unknown> {
  const { name, url, photo, handle } = profile.person
  return {
    id: encodePart(profile.nativeId),
    profile: profileName(profile),
    name,
    handle,
    url,
    thumbnail_url: photo,
    state: profile.state,
  }
}
