import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openCatalogue } from '../../src/boot/catalogue.ts'
import { connectors } from '../../src/connectors/index.ts'
import { createRegistry } from '../../src/kit/connector/registry.ts'
import type { IndexedService } from '../../src/kit/connector/service-index.ts'

// Writes src/catalogue/marks.json: the marks of services that simple-icons has, from a local copy of its repository.
//
//     node scripts/catalogue/marks.ts --simple-icons DIR

const OUT = join(import.meta.dirname, '../../src/catalogue/marks.json')
/** Characters of the path of a mark. Larger ones are pictures more than marks, and would be half of the file. */
const MAX_PATH = 3000

interface Icon {
  title: string
  slug?: string
  hex: string
  license?: { type: string }
  aliases?: { aka?: string[]; dup?: { title: string }[]; loc?: Record<string, string> }
}

const { values } = parseArgs({ options: { 'simple-icons': { type: 'string' } } })
const folder = values['simple-icons']
if (folder === undefined) throw new Error('Name a local copy: --simple-icons DIR')
const icons = JSON.parse(readFileSync(join(folder, 'data/simple-icons.json'), 'utf8')) as Icon[]
// Some are under another license than CC0.
const free = icons.filter(({ license }) => license === undefined || license.type === 'CC0-1.0')
const byTitle = new Map(free.map((icon) => [plain(icon.title), icon]))
const services = createRegistry(connectors, openCatalogue()).index()
const choices = JSON.parse(readFileSync(join(import.meta.dirname, 'mark-choices.json'), 'utf8')) as Record<
  string,
  string | null
>

const marks: Record<string, [color: string, path: string]> = {}
const left: string[] = []
for (const service of services) {
  const icon = iconOf(service)
  if (icon === undefined) continue
  const path = /<path d="([^"]+)"\/>/.exec(readFileSync(join(folder, 'icons', `${slugOf(icon)}.svg`), 'utf8'))?.[1]
  if (path !== undefined && path.length <= MAX_PATH) marks[service.service] = [icon.hex.toLowerCase(), path]
  else left.push(service.service)
}
const lines = Object.entries(marks)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([service, mark]) => `  ${JSON.stringify(service)}: ${JSON.stringify(mark)}`)
writeFileSync(OUT, `{\n${lines.join(',\n')}\n}\n`)
process.stdout.write(`${lines.length} of ${services.length} services have a mark. Too large: ${left.join(', ')}.\n`)

/** The icon whose title is exactly that of the service, or the one that a person chose; null: none. */
function iconOf({ service, title }: IndexedService): Icon | undefined {
  const chosen = choices[service]
  if (chosen === null) return undefined
  return byTitle.get(plain(chosen ?? title))
}

function plain(title: string): string {
  return title.toLowerCase().replaceAll(/[\s.\-_]/g, '')
}

/** As simple-icons names its files. */
function slugOf({ slug, title }: Icon): string {
  const replaced: Record<string, string> = { '+': 'plus', '.': 'dot', '&': 'and' }
  return (
    slug ??
    title
      .toLowerCase()
      .replaceAll(/[+.&]/g, (sign) => replaced[sign] ?? '')
      .normalize('NFD')
      .replaceAll(/[^a-z\d]/g, '')
  )
}
