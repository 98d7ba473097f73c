import { OWN_SERVICE } from '#kit/own-items.ts'
import type { Registry } from '#kit/registry.ts'
import { ApiError } from '#model/errors.ts'
import { parseProfileName } from '#model/profile.ts'
import type { Readable } from '#store/readable.ts'

/** The profiles that a list of `service` and `id@service` names. */
export function narrow(registry: Registry, readable: readonly Readable[], names: readonly string[]): Readable[] {
  const wanted = names.map((name) => wantedBy(registry, name)).filter((want) => want !== undefined)
  return readable.filter(({ service, owner }) =>
    wanted.some((want) => want.service === service && (want.nativeId === undefined || want.nativeId === owner)),
  )
}

/** The same for a parameter: a name that can be no profile's is a mistake worth telling. */
export function narrowByParameter(
  registry: Registry,
  readable: readonly Readable[],
  names: readonly string[] | undefined,
): Readable[] {
  if (names === undefined) return [...readable]
  for (const name of names) {
    const want = wantedBy(registry, name)
    const isKnown =
      want !== undefined &&
      (want.service === OWN_SERVICE.service ||
        registry.find(want.service) !== undefined ||
        readable.some(({ service }) => service === want.service))
    if (!isKnown) throw new ApiError('bad_parameter', `services: “${name}” is no service and no id@service.`)
  }
  return narrow(registry, readable, names)
}

function wantedBy(registry: Registry, name: string): ReturnType<typeof parseProfileName> {
  const want = parseProfileName(name)
  return want && { ...want, service: registry.find(want.service)?.service ?? want.service }
}
