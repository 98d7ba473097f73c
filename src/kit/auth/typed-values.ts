import { trimEndOf } from '#platform/formats/trim-end.ts'
import type { TypedField, TypedFields, TypedValues } from './typed.ts'

/** Limit: characters of one typed value; a longer one is refused beside its field. */
export const MAX_TYPED_CHARS = 4000

/** What is wrong with a typed value. */
export type TypedFault = 'empty' | 'long' | 'address' | 'host' | 'shape'

/** By field; never with the value. */
export type TypedFaults = Record<string, TypedFault>

/** Reads what a person or an app typed. Spaces around a value are not part of it, except of a secret's inner ones. */
export function readTyped(
  fields: TypedFields,
  given: Readonly<Record<string, unknown>>,
): { values: TypedValues; faults: TypedFaults } {
  const values: TypedValues = {}
  const faults: TypedFaults = {}
  for (const [name, field] of Object.entries(fields)) {
    const typed = Object.hasOwn(given, name) ? given[name] : undefined
    const text = typeof typed === 'string' ? typed.trim() : ''
    if (text === '') {
      if (field.optional !== true) faults[name] = 'empty'
      continue
    }
    const value = normalized(field, text)
    if (value === undefined) faults[name] = faultOf(field, text)
    else values[name] = value
  }
  return { values, faults }
}

/** Undefined for a value that is not of the field's form. */
function normalized(field: TypedField, text: string): string | undefined {
  if (text.length > MAX_TYPED_CHARS || /\p{Cc}/u.test(text)) return undefined
  const value = READ_FORMAT[field.format ?? 'text'](text)
  if (value === undefined || (field.pattern !== undefined && !matchesWhole(field.pattern, value))) return undefined
  return value
}

export function matchesWhole(pattern: RegExp, value: string): boolean {
  const found = value.match(pattern)
  return found !== null && found[0].length === value.length
}

function faultOf({ format }: TypedField, text: string): TypedFault {
  if (text.length > MAX_TYPED_CHARS) return 'long'
  if (format === 'address' || format === 'url') return 'address'
  return format === 'host' ? 'host' : 'shape'
}

/** A sentence for developers, which does not repeat the value. */
export function describeFault(field: TypedField, fault: TypedFault): string {
  const { title } = field
  switch (fault) {
    case 'empty':
      return `Enter ${labelOf(field)}.`
    case 'long':
      return `${title} must have at most ${MAX_TYPED_CHARS} characters.`
    case 'address':
      return `${title} must be a web address, such as https://example.com.`
    case 'host':
      return `${title} must be the name of a server, such as example.com.`
    case 'shape':
      return `${title} does not look right. Copy it again, without anything before or after it.`
    default:
      return fault satisfies never
  }
}

const labelOf = ({ title }: TypedField): string =>
  /^[A-Z]{2}/.test(title) ? title : title[0]!.toLowerCase() + title.slice(1)

/** `https://Blog.example/news/?x#y` is `https://blog.example/news`; a user name or password in it is refused. */
function addressIn(text: string): string | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  if (url.hostname === '') return undefined
  return trimEndOf(`${url.origin}${url.pathname}`, '/')
}

/** `Feed.example/x/?a=1#y` is `https://feed.example/x/?a=1`. `feed:` is how some pages write the address of a feed. */
export function urlIn(text: string): string | undefined {
  const address = text.replace(/^feed:(?:\/\/)?(?=https?:\/\/)/i, '').replace(/^feed:\/\//i, 'https://')
  if (addressIn(address) === undefined) return undefined
  const url = new URL(/^https?:\/\//i.test(address) ? address : `https://${address}`)
  url.hash = ''
  return url.href
}

function hostIn(text: string): string | undefined {
  const address = addressIn(text)
  return address === undefined || new URL(address).pathname !== '/' ? undefined : new URL(address).host
}

const READ_FORMAT: Record<NonNullable<TypedField['format']>, (text: string) => string | undefined> = {
  text: (text) => text,
  address: addressIn,
  host: hostIn,
  url: urlIn,
}

/** Whether a field names a server, or a document on it. */
export const isServerFormat = (format: string | undefined): boolean => format !== undefined && format !== 'text'

/** The values that may be used in addresses and shown: all but secrets. */
export function publicValues(fields: TypedFields, values: TypedValues): TypedValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => fields[name]?.secret !== true))
}

/** Whether the person names the server: then nobody vouches for what it says. */
export function namesServer(fields: TypedFields): boolean {
  return Object.values(fields).some(({ format }) => isServerFormat(format))
}
