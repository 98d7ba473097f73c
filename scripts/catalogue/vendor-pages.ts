import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from '../../src/kit/entry/entry-schema.ts'

/** A page or source of the vendor that somebody read, and what it must say for the entry to be right. */
interface VendorPage {
  page: string
  has: string[]
}

type VendorPages = Record<string, VendorPage | VendorPage[]>

/** What was read of each service. */
export function vendorPagesOf(): Map<string, VendorPage[]> {
  const pages = JSON.parse(readFileSync(join(import.meta.dirname, 'vendor-pages.json'), 'utf8')) as VendorPages
  return new Map(Object.entries(pages).map(([service, each]) => [service, Array.isArray(each) ? each : [each]]))
}

/** The pages of the services whose vendors still say what the entry says, by local copies: DIR/OWNER/REPOSITORY/PATH. */
export function readVendorPages(folder: string): Map<string, string[]> {
  return new Map(
    [...vendorPagesOf()].flatMap(([service, pages]) => {
      const missing = pages.flatMap((page) => missingIn(folder, page))
      if (missing.length === 0) return [[service, pages.map(({ page }) => page)] as const]
      process.stdout.write(`${service}: the vendor's pages do not say ${missing.join(', ')}\n`)
      return []
    }),
  )
}

function missingIn(folder: string, { page, has }: VendorPage): string[] {
  const [, repository, path] = /^https:\/\/github\.com\/([^/]+\/[^/]+)\/blob\/HEAD\/(.+)$/.exec(page) ?? []
  const file = join(folder, repository ?? '', path ?? '')
  const text = existsSync(file) ? readFileSync(file, 'utf8').toLowerCase() : ''
  return has.filter((each) => !text.includes(each.toLowerCase()))
}

/** The entry with the vendor's pages among its sources. */
export function withVendorPages(entry: Entry, pages: readonly string[] | undefined): Entry {
  if (pages === undefined) return entry
  const sources = [...new Set([...entry.sources, ...pages])].sort()
  return { ...entry, certainty: 'agreed', sources }
}
