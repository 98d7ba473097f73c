import { createHash } from 'node:crypto'
import { encodeBase32 } from '#platform/crypto/ids.ts'
import { hostFieldOf } from '../auth/ask.ts'
import { isOnNamedServer, nativeIdOn } from '../auth/server-native-id.ts'
import type { Connector } from './connector.ts'

/** The addresses of Tributary that an app enters in its settings at a service. */
export interface ServiceAddresses {
  /** Where the service redirects people after they signed in. */
  callback: string
  /** Where it sends webhooks. */
  hook?: string
  /** Where it requests the deletion of a person's data. */
  deletion?: string
  /** Where it tells that a person removed the app. */
  deauthorize?: string
}

/** `overrides`: of the app's key for the service. */
export function serviceAddresses(
  baseUrl: string,
  { service, hook, deletion }: Pick<Connector, 'service' | 'hook' | 'deletion'>,
  appId: string,
  overrides: Readonly<Record<string, string>> = {},
): ServiceAddresses {
  const hookUrl = `${baseUrl}/hooks/${service}/${appId}`
  return {
    callback: callbackAddress(baseUrl, service, registrationOfKey(appId, service, overrides)),
    ...(hook === undefined ? {} : { hook: hookUrl }),
    ...(deletion === undefined ? {} : { deletion: `${hookUrl}/deletion`, deauthorize: `${hookUrl}/deauthorize` }),
  }
}

/**
 * The redirect address of a sign-in. Where an app signs people in at an address of its own choice, the registration is a part of
 * it: the callback then tells which server sent the browser, and a code of one never goes to another (RFC 9700 4.4).
 */
export function callbackAddress(baseUrl: string, service: string, registration: string | undefined): string {
  return `${baseUrl}/auth/${service}/callback${registration === undefined ? '' : `/${registration}`}`
}

/** Names one app at one server of a service. Nobody can find a second server with the same name: it is a hash of 100 bits. */
export function registrationId(appId: string, service: string, server: string): string {
  return encodeBase32(
    createHash('sha256')
      .update(JSON.stringify([appId, service, server]))
      .digest(),
  ).slice(0, 20)
}

/** The registration of an app's own key: undefined where it is used at the addresses that everybody uses. */
export function registrationOfKey(
  appId: string,
  service: string,
  overrides: Readonly<Record<string, string>>,
  /** As the person named it. */
  server?: string,
): string | undefined {
  const addresses = Object.entries(overrides).toSorted(([a], [b]) => (a < b ? -1 : 1))
  // The host in `base_url` is the one that the person would be asked for.
  const named = overrides['base_url'] === undefined ? server : undefined
  if (addresses.length === 0 && named === undefined) return undefined
  return registrationId(appId, service, JSON.stringify([addresses, named ?? '']))
}

/** The server that a person named by their answers or by what they typed. */
export function namedServer(
  { auth, ask }: Pick<Connector, 'auth' | 'ask'>,
  answers: Readonly<Record<string, string>> = {},
): string | undefined {
  const field = hostFieldOf(ask)
  if (field !== undefined) return answers[field]
  return isOnNamedServer(auth) ? nativeIdOn(auth, answers, '') : undefined
}

/** Where a client reads the documentation of a service: at the vendor, or here for a simulated one, whose page came along. */
export function docsAddress(baseUrl: string, { service, docs }: Pick<Connector, 'service' | 'docs'>): string {
  return /^https?:/.test(docs) ? docs : `${baseUrl}/docs/${service}.md`
}
