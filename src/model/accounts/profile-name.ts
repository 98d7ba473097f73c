import { decodePart, encodePart } from '../input/percent-encoding.ts'

/** A parsed profile name: all profiles of a service, or the one of a service user. */
export interface ProfileName {
  /** The service's name, never an alias. */
  service: string
  /** Native id of the service user, not encoded; undefined for all profiles of the service. */
  nativeId: string | undefined
}

/** Services by name and alias. */
export interface ServiceNames {
  find(name: string): { service: string } | undefined
}

/** Writes `<native user id>@<service>` with the id percent-encoded. */
export function profileName({ nativeId, service }: { nativeId: string; service: string }): string {
  return `${encodePart(nativeId)}@${service}`
}

/**
 * Parses `service` or `id@service`, split at the last `@`; a text without one may be encoded as a whole. An alias becomes the name
 * of its service. An unknown service is kept, because profiles outlive their connector. Undefined when no profile can have this
 * name.
 */
export function parseProfileName(services: ServiceNames, text: string): ProfileName | undefined {
  const name = text.includes('@') ? text : (decodePart(text) ?? '')
  const at = name.lastIndexOf('@')
  const nativeId = at < 0 ? undefined : decodePart(name.slice(0, at))
  const named = name.slice(at + 1)
  if (named === '' || (at >= 0 && !nativeId)) return undefined
  return { service: services.find(named)?.service ?? named, nativeId }
}

/** Whether a name matches this profile. */
export function isNamed(name: ProfileName, profile: { service: string; nativeId: string }): boolean {
  if (name.service !== profile.service) return false
  return name.nativeId === undefined || name.nativeId === profile.nativeId.toWellFormed()
}
