import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Limit {
  file: string
  name: string
  /** As in the source text. */
  value: string
  /** The comment above it without "Limit:"; undefined when there is no such comment. */
  meaning: string | undefined
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
    return [{ file, name: found['name']!, value: found['value']!, meaning: meaningAbove(lines, i) }]
  })
}

function meaningAbove(lines: string[], at: number): string | undefined {
  if (lines[at - 1]?.trimEnd().endsWith('*/') !== true) return undefined
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
  return /^Limit: (?<meaning>.+)$/.exec(comment)?.groups?.['meaning']
}

/** One table per folder. */
export function limitsTables(limits: readonly Limit[]): string {
  const folders = [...new Set(limits.map(({ file }) => dirname(file)))]
  return folders
    .map((folder) => {
      const rows = limits
        .filter(({ file }) => dirname(file) === folder)
        .map(
          ({ file, name, value, meaning }) =>
            `| \`${name}\` | ${formatValue(name, value)} | ${cell(meaning ?? '')} | \`${file.slice(folder.length + 1)}\` |`,
        )
      return [
        `## ${folder}`,
        '',
        '| limit | value | what it bounds, and what happens beyond it | file |',
        '|---|---|---|---|',
        ...rows,
      ].join('\n')
    })
    .join('\n\n')
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
