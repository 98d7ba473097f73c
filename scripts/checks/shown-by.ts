import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MUTANTS } from '../../test/mutants/list.ts'
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

/** The table of docs/checks.md: one row per check, with its test files and the files of its mutants. */
export function checkTable(): string {
  const shown = shownBy()
  const rows = CHECKS.map(({ id, check, passes }) => {
    const mutated = MUTANTS.filter((mutant) => mutant.check === id).map(({ file }) => file)
    return `| ${id} | ${cell(check)} | ${cell(passes)} | ${codes(shown.get(id) ?? [])} | ${codes(mutated)} |`
  })
  return ['| id | check | passes when | shown by | mutant in |', '|---|---|---|---|---|', ...rows].join('\n')
}

function codes(files: string[]): string {
  return files.map((file) => `\`${file}\``).join(', ')
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`)
}
