import { OWN_SERVICE } from '#kit/own-items.ts'
import type { Registry } from '#kit/registry.ts'
import { ApiError } from '#model/errors.ts'
import { isNamed, parseProfileName } from '#model/profile-name.ts'
import type { ReadableProfile } from '#store/items/readable-profiles.ts'

/** The profiles that a list of `service` and `id@service` names. */
export function narrow(
  registry: Registry,
  readable: readonly ReadableProfile[],
  names: readonly string[],
): ReadableProfile[] {
  const wanted = names.map((name) => parseProfileName(registry, name)).filter((name) => name !== undefined)
  return readable.filter(({ service, owner }) => wanted.some((name) => isNamed(name, { service, nativeId: owner })))
}

/** The same for a parameter: a name that can be no profile's is a mistake worth telling. */
export function narrowByParameter(
  registry: Registry,
  readable: readonly ReadableProfile[],
  names: readonly string[] | undefined,
): ReadableProfile[] {
  if (names === undefined) return [...readable]
  for (const name of names) {
    const service = parseProfileName(registry, name)?.service
    const isKnown =
      service !== undefined &&
      (service === OWN_SERVICE.service ||
        registry.find(service) !== undefined ||
        readable.some((profile) => profile.service === service))
    if (!isKnown) throw new ApiError('bad_parameter', `services: “${name}” is no service and no id@service.`)
  }
  return narrow(registry, readable, names)
}
