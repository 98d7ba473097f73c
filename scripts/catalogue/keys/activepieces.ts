import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Category } from '../../../src/kit/connector/catalogue-words.ts'
import { bestProofs, type KeyFacts, type KeyPlace, usableBase } from './key-facts.ts'

const CATEGORIES: Record<string, Category> = {
  ACCOUNTING: 'finance',
  ARTIFICIAL_INTELLIGENCE: 'data',
  BUSINESS_INTELLIGENCE: 'data',
  COMMERCE: 'shops',
  COMMUNICATION: 'communication',
  CONTENT_AND_FILES: 'files',
  CUSTOMER_SUPPORT: 'business',
  DEVELOPER_TOOLS: 'development',
  FORMS_AND_SURVEYS: 'business',
  HUMAN_RESOURCES: 'business',
  MARKETING: 'business',
  PAYMENT_PROCESSING: 'finance',
  PRODUCTIVITY: 'work',
  SALES_AND_CRM: 'business',
  UNIVERSAL_AI: 'data',
}

/** `activepieces/activepieces` (MIT): `packages/pieces/community/NAME`, those that ask for one key. */
export function readActivepieces(folder: string): KeyFacts[] {
  const root = join(folder, 'packages/pieces/community')
  const files = Map.groupBy(globSync('*/src/**/*.ts', { cwd: root }).sort(), (file) => file.split(/[\\/]/)[0]!)
  return [...files].flatMap(([name, paths]) =>
    factsOf(name, paths.map((path) => readFileSync(join(root, path), 'utf8')).join('\n')),
  )
}

function factsOf(name: string, text: string): KeyFacts[] {
  if (!/PieceAuth\.SecretText\(/.test(text) || /PieceAuth\.(?:OAuth2|CustomAuth|BasicAuth)\(/.test(text)) return []
  const place = placeIn(text)
  if (place === undefined) return []
  const called = [...text.matchAll(/^\s*(?:url:|baseUrl:\s*(?:\(\w*\)|async \(\w*\))\s*=>)\s*([^,\n]+)/gm)].flatMap(
    ([, code]) => {
      const address = addressIn(code!, text)
      return address === undefined ? [] : [address]
    },
  )
  const declared = /baseUrl:\s*\(\w*\)\s*=>\s*([^,\n]+)/.exec(text)?.[1]
  const base = usableBase(declared === undefined ? sharedBase(called) : addressIn(declared, text))
  if (base === undefined) return []
  const validated = /validate:[^]*?url:\s*([^,\n]+)/.exec(text)?.[1]
  const validating = validated === undefined ? undefined : addressIn(validated, text)
  const read = [
    ...text.matchAll(/method: HttpMethod\.GET,\s*url:\s*([^,\n]+)|url:\s*([^,\n]+),\s*method: HttpMethod\.GET/g),
  ]
    .map(([, before, after]) => addressIn(before ?? after!, text))
    .filter((each) => each !== undefined)
  const relative = [
    ...text.matchAll(/HttpMethod\.GET,\s*(?:path|endpoint|resourceUri|url)?:?\s*['"`](\/[^'"`$?]*)['"`?]/g),
  ].map(([, path]) => path!)
  const below = (address: string) => (address.startsWith(`${base}/`) ? [address.slice(base.length)] : [])
  return [
    {
      source: 'activepieces',
      name,
      title: /displayName: ['"`]([^'"`]+)['"`]/.exec(/createPiece\(\{[^]*/.exec(text)?.[0] ?? '')?.[1],
      category: [.../* the first that is known */ text.matchAll(/PieceCategory\.([A-Z_]+)/g)]
        .map(([, each]) => CATEGORIES[each!])
        .find((each) => each !== undefined),
      base,
      place,
      proofs: [
        ...new Set([
          ...(validating === undefined ? [] : bestProofs(below(validating))),
          ...bestProofs([...read.flatMap(below), ...relative.filter((path) => !isRepeated(base, path))]),
        ]),
      ],
      isVendors: false,
    },
  ]
}

/** The header or parameter that carries the key: what follows its name is the key itself, or a scheme and the key. */
function placeIn(text: string): KeyPlace | undefined {
  const mapping = /authMapping:[^]{0,500}/.exec(text)?.[0] ?? text
  const isQuery = /authLocation: ['"]queryParam/.test(text)
  const key = String.raw`(?:\(?auth\b|\(?apiKey\b|\(?api_key\b|\(?token\b|\(?accessToken\b|secret_text|context\.auth)`
  const header = new RegExp(
    String.raw`^\s*['"]?([A-Za-z][\w-]*)['"]?:\s*(?:\x60(?:(\w+) )?\$\{\s*${key}|${key})[^\n]*$`,
    'm',
  ).exec(mapping)
  if (header !== null) {
    const [, name = '', scheme] = header
    if (isQuery) return { query: name }
    if (/^authorization$/i.test(name)) {
      if (scheme === 'Basic') return undefined
      return { header: 'authorization', ...(scheme === undefined ? {} : { scheme }) }
    }
    if (/^(?:[\w]*-[\w-]*|apikey|api_key)$/i.test(name) && !/^(?:content-type|user-agent)$/i.test(name))
      return { header: name.toLowerCase(), ...(scheme === undefined ? {} : { scheme }) }
  }
  if (/AuthenticationType\.BEARER_TOKEN/.test(text)) return { header: 'authorization', scheme: 'Bearer' }
  return undefined
}

/** 'https://…', `${BASE}/path`, BASE + '/path', config.baseUrl: with the constants of the piece. */
function addressIn(code: string, text: string): string | undefined {
  const expression = code.trim().replace(/[;})\s]+$/, (end) => (code.includes('${') ? end.replace(/[;\s)]/g, '') : ''))
  const literal = /^(['"`])([^'"`]*)\1/.exec(expression)
  const sum = /^([\w.]+)(?:\s*\+\s*['"`]([^'"`]*)['"`])?$/.exec(expression)
  const raw =
    literal !== null ? literal[2]! : sum !== null ? `${constantOf(sum[1]!, text) ?? '?'}${sum[2] ?? ''}` : undefined
  const filled = raw?.replaceAll(/\$\{([\w.]+)\}/g, (whole, name: string) => constantOf(name, text) ?? whole)
  return filled === undefined || !filled.startsWith('https://') || /[${}]/.test(filled)
    ? undefined
    : filled
        .split('?')[0]!
        .replaceAll(/(?<!:)\/\/+/g, '/')
        .replace(/\/$/, '')
}

function constantOf(name: string, text: string): string | undefined {
  const own = name.split('.').at(-1)!
  return new RegExp(String.raw`\b${own}\b(?::\s*string)?\s*[=:]\s*['"\x60](https://[^'"\x60$]+?)['"\x60]`).exec(
    text,
  )?.[1]
}

/** `/v1/things` below `https://api.example/v1`: it is not below the base, but below the host. */
const isRepeated = (base: string, path: string): boolean =>
  new URL(base).pathname !== '/' && `${path}/`.startsWith(`/${new URL(base).pathname.split('/')[1]}/`)

/** What all called addresses begin with: the host, and a version. */
function sharedBase(addresses: readonly string[]): string | undefined {
  const hosts = new Set(addresses.map((address) => new URL(address).origin))
  const [origin] = hosts
  if (origin === undefined || hosts.size > 1) return undefined
  const versions = new Set(
    addresses.map((address) => /^https:\/\/[^/]+((?:\/api)?\/v\d[\w.]*)?(?=\/|$)/.exec(address)?.[1] ?? ''),
  )
  return versions.size === 1 ? `${origin}${[...versions][0]}` : origin
}
