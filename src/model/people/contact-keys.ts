import { trimEndOf } from '#platform/formats/trim-end.ts'
import { fold } from '../items/words.ts'
import { isRoleAddress } from './role-addresses.ts'

/** What identifies the person behind a contact. */
export interface ContactIdentity {
  name?: string | undefined
  handle?: string | undefined
  email?: string | undefined
  /** The page of the person at the service, and the site that they name. */
  urls: readonly string[]
}

/** Limit: characters of a contact's name, handle, e-mail or link that are compared; a longer one is not compared. */
const MAX_KEY = 300

// The first label has no dot, so that there is one way to read an address.
const EMAIL = /^[^\s@]+@[^\s@.]+\.[^\s@]+$/
const SPACES = /\s+/g

/** Returns the keys of a contact. Contacts with an equal key may be one person: `group-contacts.ts` decides. */
export function contactKeys(contact: ContactIdentity): string[] {
  return [emailKey(contact.email), handleAndNameKey(contact), ...contact.urls.map(linkKey)].filter(
    (key) => key !== undefined,
  )
}

/**
 * Ignores case and surrounding spaces. Dots and tags of the local part count: providers differ in what they ignore. The address of a
 * role (`info@`) names nobody.
 */
function emailKey(email: string | undefined): string | undefined {
  const text = comparable(email)?.trim().toLowerCase()
  return text !== undefined && EMAIL.test(text) && !isRoleAddress(text) ? `email ${text}` : undefined
}

function linkKey(url: string): string | undefined {
  const address = readAddress(url)
  return address === undefined || isWholeSite(address) ? undefined : `link ${textOf(address)}`
}

/**
 * A link without scheme, `www.`, trailing slash and the case of the host; undefined when it is not a web address. Case of the path,
 * query and fragment are kept: they tell people of one site apart.
 */
export function normalizeLink(url: string): string | undefined {
  const address = readAddress(url)
  return address && textOf(address)
}

function readAddress(url: string): URL | undefined {
  const text = comparable(url)?.trim()
  return text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
}

function textOf({ host, pathname, search, hash }: URL): string {
  return host.replace(/^www\./, '') + trimEndOf(trimEndOf(pathname, '/') + search + trimEndOf(hash, '/'), '#')
}

/** A whole site names nobody, also with a query or a place in its page. A fragment may be the path of a page, as at matrix.to. */
function isWholeSite({ pathname, hash }: URL): boolean {
  return trimEndOf(pathname, '/') === '' && !/^#[/!@]+[^/!@]/.test(hash)
}

/** The parts of a key. */
export function readKey(key: string): { by: 'email' | 'link' | 'handle_and_name'; value: string } {
  const at = key.indexOf(' ')
  const [sort, value] = [key.slice(0, at), key.slice(at + 1)]
  if (sort === 'email' || sort === 'link') return { by: sort, value }
  return { by: 'handle_and_name', value: `@${value.replace('\n', ' ')}` }
}

/** The name by which a service tells a user from others. One that only repeats the handle, or the handle alone, begins with `@`. */
export function nameOf({ name, handle }: ContactIdentity): string | undefined {
  const [foldedName, foldedHandle] = [foldName(name), foldHandle(handle)]
  if (foldedName !== '' && foldHandle(name) !== foldedHandle) return foldedName
  return foldedHandle === '' ? undefined : `@${foldedHandle}`
}

/** Both are needed. A name that only repeats the handle tells nothing more, so it does not count. */
function handleAndNameKey({ handle, name }: ContactIdentity): string | undefined {
  const [foldedHandle, foldedName] = [foldHandle(handle), foldName(name)]
  if (foldedHandle === '' || foldedName === '' || foldedHandle === foldHandle(name)) return undefined
  return `name ${foldedHandle}\n${foldedName}`
}

/** A name without case, accents and repeated spaces; empty when there is none. */
export function foldName(name: string | undefined): string {
  return fold(comparable(name) ?? '')
    .replaceAll(SPACES, ' ')
    .trim()
}

/** A handle without case and its leading `@`; empty when there is none. */
export function foldHandle(handle: string | undefined): string {
  return foldName(handle).replace(/^@/, '')
}

function comparable(text: string | undefined): string | undefined {
  return text === undefined || text.length > MAX_KEY ? undefined : text
}
