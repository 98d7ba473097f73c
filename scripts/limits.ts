import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Limit {
  file: string
  name: string
  /** As in the source text. */
  value: string
  /** The comment above it without "Limit:"; undefined when there is no such comment. */
  meaning: string | undefined
  /** What people who meet the limit are doing, written as "Limit (push): …"; undefined for all other limits. */
  subject: string | undefined
}

/** The headings of docs/limits.md, by the subject in the comment of a limit. */
export const LIMIT_SUBJECTS: Readonly<Record<string, string>> = {
  requests: 'Requests',
  'sign-in': 'Sign-in',
  uploads: 'Uploads',
  sync: 'Sync',
  reading: 'Reading',
  push: 'Push',
  proxy: 'Proxy',
  agents: 'Agents',
  operators: 'Apps and operators',
}

const CONSTANT = /^(?:export )?const (?<name>(?:MAX|MIN)_\w+)(?:: [^=]+)? = (?<value>.+)$/

/** Every constant `MAX_…` and `MIN_…` of a folder of sources, with the comment directly above it. */
export function limitsIn(root: string, folder = 'src'): Limit[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .flatMap((file) => limitsOf(file, readFileSync(join(root, file), 'utf8')))
}

export function limitsOf(file: string, text: string): Limit[] {
  const lines = text.split('\n')
  return lines.flatMap((line, i) => {
    const found = CONSTANT.exec(line)?.groups
    if (found === undefined) return []
    return [{ file, name: found['name']!, value: found['value']!, ...commentAbove(lines, i) }]
  })
}

function commentAbove(lines: string[], at: number): Pick<Limit, 'meaning' | 'subject'> {
  if (lines[at - 1]?.trimEnd().endsWith('*/') !== true) return { meaning: undefined, subject: undefined }
  let start = at - 1
  while (start > 0 && !lines[start]!.trimStart().startsWith('/**')) start--
  const comment = lines
    .slice(start, at)
    .map((line) =>
      line
        .trim()
        .replace(/^(\/\*\*|\*\/|\*(?!\/))/, '')
        .replace(/\*\/$/, '')
        .trim(),
    )
    .filter((line) => line !== '')
    .join(' ')
  const found = /^Limit(?: \((?<subject>[\w-]+)\))?: (?<meaning>.+)$/.exec(comment)?.groups
  return { meaning: found?.['meaning'], subject: found?.['subject'] }
}

/** For people: the limits that they meet, one table for each subject. */
export function limitsTables(limits: readonly Limit[]): string {
  return Object.entries(LIMIT_SUBJECTS)
    .map(([subject, heading]) => {
      const rows = limits
        .filter((limit) => limit.subject === subject)
        .map(({ name, value, meaning = '' }) => `| ${cell(sentence(meaning))} | ${formatValue(name, value)} |`)
      return [
        `## ${heading}`,
        '',
        '| what is limited, and what happens beyond it | limit |',
        '|---|---|',
        ...rows,
      ].join('\n')
    })
    .join('\n\n')
}

/** For programs and maintainers: every limit, in the order of the files. */
export function limitsJson(limits: readonly Limit[]): string {
  const all = limits.map(({ file, name, value, meaning, subject }) => ({
    file,
    name,
    value: formatValue(name, value).replaceAll('`', ''),
    meaning,
    subject,
  }))
  return `${JSON.stringify(all, null, 2)}\n`
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

const UNITS: [suffix: RegExp, units: [size: number, name: string][]][] = [
  [
    /_BYTES$/,
    [
      [1024 ** 3, 'GB'],
      [1024 ** 2, 'MB'],
      [1024, 'KB'],
      [1, 'bytes'],
    ],
  ],
  [
    /_MS$/,
    [
      [86_400_000, 'd'],
      [3_600_000, 'h'],
      [60_000, 'min'],
      [1000, 's'],
      [1, 'ms'],
    ],
  ],
  [
    /_S$/,
    [
      [86_400, 'd'],
      [3600, 'h'],
      [60, 'min'],
      [1, 's'],
    ],
  ],
]

/** A product of numbers with its unit; anything else as in the source. */
function formatValue(name: string, value: string): string {
  if (!/^[\d_.e]+( \* [\d_.e]+)*$/.test(value)) return `\`${cell(value)}\``
  const number = value.split(' * ').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1)
  const units = UNITS.find(([suffix]) => suffix.test(name))?.[1]
  const unit = units?.find(([size]) => number >= size && number % size === 0)
  if (unit === undefined) return number.toLocaleString('en')
  return `${(number / unit[0]).toLocaleString('en')} ${unit[1]}`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
