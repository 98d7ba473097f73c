import { decodePart, encodePart } from './percent-encoding.ts'

/** Which profiles a text means: all of a service, or the one of a service user. */
export interface ProfileName {
  /** By its own name, never an alias. */
  service: string
  /** Native id of the service user, plain; undefined for whoever has a profile there. */
  nativeId: string | undefined
}

/** Services by name and alias. */
export interface ServiceNames {
  find(name: string): { service: string } | undefined
}

/** `<native user id>@<service>`, the id percent-encoded. */
export function profileName({ nativeId, service }: { nativeId: string; service: string }): string {
  return `${encodePart(nativeId)}@${service}`
}

/**
 * Reads `service` or `id@service`, split at the last `@`; without one, the whole may be encoded once more. An alias stands
 * for its service, and a service that nobody knows stays as it is: its profiles outlive its connector. Undefined when no
 * profile can have this name.
 */
export function parseProfileName(services: ServiceNames, text: string): ProfileName | undefined {
  const name = text.includes('@') ? text : (decodePart(text) ?? '')
  const at = name.lastIndexOf('@')
  const nativeId = at < 0 ? undefined : decodePart(name.slice(0, at))
  const named = name.slice(at + 1)
  if (named === '' || (at >= 0 && !nativeId)) return undefined
  return { service: services.find(named)?.service ?? named, nativeId }
}

/** Whether a name means this profile. */
export function isNamed(name: ProfileName, profile: { service: string; nativeId: string }): boolean {
  if (name.service !== profile.service) return false
  return name.nativeId === undefined || name.nativeId === profile.nativeId.toWellFormed()
}
