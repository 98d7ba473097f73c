import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKS } from './list.ts'

const root = join(import.meta.dirname, '..', '..')

/** The test files of each id. Ids are at the beginning of the name of a test or a suite, separated by spaces. */
export function shownBy(): Map<string, string[]> {
  const found = new Map<string, Set<string>>()
  for (const file of globSync('{src,lab,test}/**/*.test.ts', { cwd: root }).toSorted()) {
    if (file.includes('node_modules')) continue
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, ids] of text.matchAll(/['"`]((?:[SPR]\d\d )+)/g))
      for (const id of ids!.trim().split(' ')) found.set(id, (found.get(id) ?? new Set()).add(file))
  }
  return new Map([...found].map(([id, files]) => [id, [...files].toSorted()]))
}

/** The table of docs/checks.md: one row per check, with its test files. */
export function checkTable(): string {
  const shown = shownBy()
  const rows = CHECKS.map(({ id, check, passes, untested }) => {
    const files = (shown.get(id) ?? []).map((file) => `\`${file}\``).join(', ')
    return `| ${id} | ${cell(check)} | ${cell(passes)} | ${files || (untested ?? '')} |`
  })
  return ['| id | check | passes when | shown by |', '|---|---|---|---|', ...rows].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`)
}
