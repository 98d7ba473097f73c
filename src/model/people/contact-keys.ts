import { fold } from '../items/words.ts'

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

/** Returns the keys of a contact. Two contacts with an equal key are one person. */
export function contactKeys(contact: ContactIdentity): string[] {
  return [emailKey(contact.email), handleAndNameKey(contact), ...contact.urls.map(linkKey)].filter(
    (key) => key !== undefined,
  )
}

/** Ignores case and surrounding spaces. Dots and tags of the local part count: providers differ in what they ignore. */
function emailKey(email: string | undefined): string | undefined {
  const text = comparable(email)?.trim().toLowerCase()
  return text !== undefined && EMAIL.test(text) ? `email ${text}` : undefined
}

function linkKey(url: string): string | undefined {
  const link = normalizeLink(url)
  return link === undefined ? undefined : `link ${link}`
}

/** A link without scheme, `www.`, fragment, trailing slash and case; undefined when it is not a web address. */
export function normalizeLink(url: string): string | undefined {
  const text = comparable(url)?.trim()
  if (text === undefined || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { host, pathname, search } = new URL(text)
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  return `${host.replace(/^www\./, '')}${path}${search}`.toLowerCase()
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
