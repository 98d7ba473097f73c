import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from '../../src/kit/entry/entry-schema.ts'

/** A page or source of the vendor that somebody read, and what it must say for the entry to be right. */
interface VendorPage {
  page: string
  has: string[]
}

/** Services whose vendor's page still says what the entry says, by local copies: DIR/OWNER/REPOSITORY/PATH of `vendor-pages.json`. */
export function readVendorPages(folder: string): Map<string, string> {
  const pages = JSON.parse(readFileSync(join(import.meta.dirname, 'vendor-pages.json'), 'utf8')) as Record<
    string,
    VendorPage
  >
  return new Map(
    Object.entries(pages).flatMap(([service, { page, has }]) => {
      const [, repository, path] = /^https:\/\/github\.com\/([^/]+\/[^/]+)\/blob\/HEAD\/(.+)$/.exec(page) ?? []
      const file = join(folder, repository ?? '', path ?? '')
      const text = existsSync(file) ? readFileSync(file, 'utf8').toLowerCase() : ''
      const missing = has.filter((each) => !text.includes(each.toLowerCase()))
      if (missing.length === 0) return [[service, page] as const]
      process.stdout.write(`${service}: the vendor's page does not say ${missing.join(', ')}\n`)
      return []
    }),
  )
}

/** The entry with the vendor's page as one of its sources. */
export function withVendorPage(entry: Entry, page: string | undefined): Entry {
  if (page === undefined) return entry
  const sources = [...new Set([...entry.sources, page])].sort()
  return { ...entry, certainty: 'agreed', sources }
}
