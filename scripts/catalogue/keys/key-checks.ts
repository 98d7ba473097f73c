import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { splitProfile } from '../propose.ts'
import { type KeyFacts, type KeyPlace, usableBase } from './key-facts.ts'

/** `mongodb/kingfisher` (Apache-2.0): `data/rules/NAME.yml`, how a key that was found is checked. */
export function readKingfisher(folder: string): KeyFacts[] {
  return globSync('data/rules/*.yml', { cwd: folder })
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      return text
        .split(/^ {2}- name:/m)
        .slice(1)
        .flatMap((rule) => checkIn('kingfisher', basename(file, '.yml'), rule, String.raw`\{\{\s*TOKEN\s*\}\}`))
    })
}

/** `projectdiscovery/nuclei-templates` (MIT): `http/token-spray/api-NAME.yaml`, how a key is checked. */
export function readNuclei(folder: string): KeyFacts[] {
  return globSync('http/token-spray/api-*.yaml', { cwd: folder })
    .sort()
    .flatMap((file) =>
      checkIn(
        'nuclei',
        basename(file, '.yaml').slice(4),
        readFileSync(join(folder, file), 'utf8'),
        String.raw`\{\{token\}\}`,
      ),
    )
}

/** One GET request with the key at one place, and nothing else that is unknown. */
function checkIn(source: string, name: string, text: string, token: string): KeyFacts[] {
  const request = /(?:validation:|^http:)[^]*/m.exec(text)?.[0] ?? ''
  const method = /method: (\w+)/.exec(request)?.[1]
  const address = /url:\s*['"]?(https:[^\s'"]*(?:\{\{[^}]*\}\}[^\s'"]*)*)|path:\s*\n\s*- ['"]?(https:[^\n'"]*)/.exec(
    request,
  )
  const full = (address?.[1] ?? address?.[2])?.trim()
  if (method !== 'GET' || full === undefined) return []
  const inQuery = new RegExp(`[?&]([\\w.-]+)=${token}`).exec(full)
  const place: KeyPlace | undefined = inQuery === null ? headerIn(request, token) : { query: inQuery[1]! }
  const plain = full.replace(new RegExp(`([?&])[\\w.-]+=${token}&?`), '$1').replace(/[?&]$/, '')
  if (place === undefined || /[{}]/.test(plain) || !URL.canParse(plain)) return []
  const { base, path } = splitProfile(plain)
  const usable = usableBase(base)
  if (usable === undefined || path === '/' || /[^\w./?=&@~:,%-]/.test(path)) return []
  const docs = [...text.matchAll(/^\s+- (https:\/\/[^\s]+)$/gm)].map(([, each]) => each!)
  return [
    {
      source,
      name,
      docs: docs.find((each) => !each.includes('github.com') && new URL(each).pathname !== '/'),
      base: usable,
      place,
      proofs: [path],
      isVendors: false,
    },
  ]
}

function headerIn(request: string, token: string): KeyPlace | undefined {
  const [, name = '', scheme] =
    new RegExp(`^\\s*['"]?([A-Za-z][\\w-]*)['"]?:\\s*['"]?(?:([\\w-]+) )?${token}['"]?\\s*$`, 'm').exec(request) ?? []
  if (name === '' || scheme === 'Basic') return undefined
  return { header: name.toLowerCase(), ...(scheme === undefined ? {} : { scheme }) }
}
