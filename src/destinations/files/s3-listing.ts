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
  const keys: string[] = []
  for (const [, key = ''] of body.matchAll(/<Key>([^<]*)<\/Key>/g)) {
    if (keys.length >= size) throw invalidListing(`more than the ${size} names it was asked for`)
    const name = unescapeXml(key)
    if (!name.startsWith(prefix) || name.split('/').some((part) => part === '.' || part === '..'))
      throw invalidListing('a name it was not asked for')
    keys.push(name)
  }
  const [, token] = /<NextContinuationToken>([^<]+)</.exec(body) ?? []
  if (token !== undefined && token.length > MAX_TOKEN_CHARACTERS) throw invalidListing('a token that is too long')
  return { keys, token: token === undefined ? undefined : unescapeXml(token) }
}

function invalidListing(what: string): DeliveryError {
  return new DeliveryError('retry', `The store listed ${what}.`)
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return ENTITIES.get(name) ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10_ffff ? String.fromCodePoint(code) : whole
    },
  )
}
