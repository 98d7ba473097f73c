import { UpstreamError } from './request/errors.ts'

/** What a sign-in was begun for: its code, verifier or password goes nowhere else. */
export interface BegunFor {
  service: string
  /** The app's key at the service. */
  client: string
  /** The redirect address that the service was given. */
  callbackUrl: string
  tokenUrl: string
}

const NAMES = ['service', 'client', 'callbackUrl', 'tokenUrl'] as const

/**
 * Refuses to finish a sign-in with another app, instance or issuer than it was begun for. Sign-ins that an older release began have
 * fewer of the values; they have no registration, and are refused elsewhere where one is required.
 */
export function checkBegunFor(begun: Readonly<Record<string, unknown>>, now: BegunFor): void {
  const other = NAMES.find((name) => begun[name] !== undefined && begun[name] !== now[name])
  if (other === undefined && begun['service'] !== undefined) return
  throw new UpstreamError('stop', `The sign-in was begun for another ${WORDS[other ?? 'service']}`, {
    reason: 'issuer_mismatch',
  })
}

const WORDS: Record<(typeof NAMES)[number], string> = {
  service: 'service',
  client: 'key of the app',
  callbackUrl: 'redirect address',
  tokenUrl: 'token endpoint',
}
