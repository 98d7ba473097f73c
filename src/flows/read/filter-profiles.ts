import { OWN_SERVICE } from '#kit/connector/own-items.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { ProfileRef } from '#model/accounts/account.ts'
import { isNamed, parseProfileName } from '#model/accounts/profile-name.ts'
import { invalidInput } from '#model/errors.ts'

/** Returns the profiles that match one of the names, each `service` or `id@service`. */
export function filterByName<Profile extends ProfileRef>(
  registry: Registry,
  readable: readonly Profile[],
  names: readonly string[],
): Profile[] {
  const parsed = names.map((name) => parseProfileName(registry, name)).filter((name) => name !== undefined)
  return readable.filter(({ service, owner }) => parsed.some((name) => isNamed(name, { service, nativeId: owner })))
}

/** Like `filterByName`, for the parameter `services`, where the name of an unknown service is an error. */
export function filterByServicesParameter<Profile extends ProfileRef>(
  registry: Registry,
  readable: readonly Profile[],
  names: readonly string[] | undefined,
): Profile[] {
  if (names === undefined) return [...readable]
  for (const name of names) {
    const service = parseProfileName(registry, name)?.service
    const isKnown =
      service !== undefined &&
      (service === OWN_SERVICE.service ||
        registry.find(service) !== undefined ||
        readable.some((profile) => profile.service === service))
    if (!isKnown) throw invalidInput('bad_parameter', 'services', `“${name}” is not a known service or id@service.`)
  }
  return filterByName(registry, readable, names)
}
