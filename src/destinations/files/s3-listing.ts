import { FormatError } from '#model/format-error.ts'
import { elementsIn, type XmlElement } from '#model/xml/element.ts'
import { parseXml } from '#model/xml/parse-xml.ts'
import { DeliveryError } from '../contract.ts'

/** Limit: characters of the token that names the next page of an S3 listing. A longer one fails the listing. */
const MAX_TOKEN_CHARACTERS = 4096

export interface ListedPage {
  /** With the requested prefix. */
  keys: string[]
  /** Names the next page; undefined on the last. */
  token: string | undefined
}

/** Reads one page of a listing. Names outside the requested prefix are refused, because all listed names get removed. */
export function readListing(body: string, prefix: string, size: number): ListedPage {
  const listing = parseListing(body)
  const keys = elementsIn(listing, 'Contents').flatMap((each) => elementsIn(each, 'Key').map(exactText))
  if (keys.length > size) throw invalidListing(`more than the ${size} names it was asked for`)
  for (const name of keys)
    if (!name.startsWith(prefix) || name.split('/').some((part) => part === '.' || part === '..'))
      throw invalidListing('a name it was not asked for')
  const [token] = elementsIn(listing, 'NextContinuationToken').map(exactText)
  if (token !== undefined && token.length > MAX_TOKEN_CHARACTERS) throw invalidListing('a token that is too long')
  return { keys, token: token === '' ? undefined : token }
}

function parseListing(body: string): XmlElement {
  try {
    const root = parseXml(body)
    if (root.name === 'ListBucketResult') return root
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
  }
  throw invalidListing('something that is not a listing')
}

/** Spaces at the ends belong to a name. */
function exactText({ content = [] }: XmlElement): string {
  return content.filter((part) => typeof part === 'string').join('')
}

function invalidListing(what: string): DeliveryError {
  return new DeliveryError('retry', `The store listed ${what}.`)
}
