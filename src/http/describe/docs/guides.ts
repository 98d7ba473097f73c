import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCS = join(import.meta.dirname, '../../../../docs')
const SIMULATED = join(import.meta.dirname, '../../../../lab/services')
/** Folders with further pages, as links of the pages name them. */
const FOLDERS = ['guides', 'decisions']
/** Folders with what pages show. */
const PICTURES: Record<string, { ending: string; type: string }> = {
  images: { ending: '.png', type: 'image/png' },
  pictures: { ending: '.svg', type: 'image/svg+xml' },
}

interface Guide {
  /** Below `/docs/`: `push.md`, `guides/connect-a-person.md`. */
  name: string
  title: string
  text: string
}

let known: Guide[] | undefined

/** The pages of the documentation that came with this installation. */
export function guides(): Guide[] {
  known ??= [
    ...['', ...FOLDERS].flatMap((folder) =>
      namesIn(join(DOCS, folder), (name) => name.endsWith('.md')).map((name) => ({
        name: folder === '' ? name : `${folder}/${name}`,
        file: join(DOCS, folder, name),
      })),
    ),
    // Of the demo services, whose vendor is this installation.
    ...namesIn(SIMULATED, (name) => name.startsWith('demo-')).map((name) => ({
      name: `${name}.md`,
      file: join(SIMULATED, name, 'README.md'),
    })),
  ].map(({ name, file }) => {
    const text = readFileSync(file, 'utf8')
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text: withoutFarLinks(text, name.split('/').length) }
  })
  return known
}

/** The limits for programs, which pages link to. */
export const readLimits = (): string => readFileSync(join(DOCS, 'limits.json'), 'utf8')

/** A picture of the pages with its media type. */
export function readPicture(folder: string, name: string): { bytes: Buffer; type: string } | undefined {
  const kind = PICTURES[folder]
  if (kind === undefined || !namesIn(join(DOCS, folder), (each) => each.endsWith(kind.ending)).includes(name))
    return undefined
  return { bytes: readFileSync(join(DOCS, folder, name)), type: kind.type }
}

/** Links to files that are only in the sources become plain text: here they would lead nowhere. */
function withoutFarLinks(text: string, depth: number): string {
  const far = `](${'../'.repeat(depth)}`
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf(far); at >= 0; at = text.indexOf(far, from)) {
    const open = text.lastIndexOf('[', at)
    const end = text.indexOf(')', at)
    if (open < from || end < 0) break
    parts.push(text.slice(from, open), text.slice(open + 1, at))
    from = end + 1
  }
  return parts.join('') + text.slice(from)
}

function namesIn(folder: string, isWanted: (name: string) => boolean): string[] {
  try {
    return readdirSync(folder).filter(isWanted).sort()
  } catch {
    // An image may leave the pages out.
    return []
  }
}
