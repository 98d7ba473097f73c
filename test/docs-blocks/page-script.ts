import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Block } from './read-blocks.ts'

/** Replaced in every block: the addresses that the pages use, by those of the test. */
export type Addresses = Record<string, string>

/** One page as a shell script; the output of each block follows its marker. */
export interface PageScript {
  script: string
  /** Files with TypeScript, whose types are checked. */
  typed: string[]
}

export const markerOf = (line: number) => `@@ block at line ${line} @@`

/** Writes the files of a page into a folder, and the script that runs its blocks in order. */
export function writePage(blocks: readonly Block[], folder: string, addresses: Addresses): PageScript {
  const typed: string[] = []
  const lines = ['set -euo pipefail', `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT`]
  for (const [index, block] of blocks.entries()) {
    if (block.use.kind !== 'run') continue
    const text = Object.entries(addresses).reduce((all, [from, to]) => all.replaceAll(from, to), block.text)
    const name = fileOf(block)
    const write = () => writeFileSync(join(folder, name), text)
    const isUsedLater = blocks.slice(index + 1).some((later) => later.language === 'sh' && later.text.includes(name))
    lines.push(`printf '\\n%s\\n' '${markerOf(block.line)}'`)
    switch (block.language) {
      case 'sh':
        lines.push(text)
        break
      case 'ts':
        typed.push(join(folder, name))
        write()
        if (!isUsedLater) lines.push(`node ${name}`)
        break
      case 'js':
        write()
        if (!isUsedLater) lines.push(`node ${name}`)
        break
      case 'python':
        write()
        if (!isUsedLater) lines.push(`python3 ${name}`)
        break
      case 'sql':
        write()
        lines.push(`psql "$DATABASE_URL" --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --file=${name}`)
        break
      case 'json':
        parseJson(block.line, text)
        break
      default:
        throw new Error(
          `line ${block.line}: a block of “${block.language}” cannot be run; mark it with “no-run: <reason>”`,
        )
    }
  }
  return { script: `${lines.join('\n')}\n`, typed }
}

function parseJson(line: number, text: string): void {
  try {
    JSON.parse(text)
  } catch (error) {
    throw new Error(`line ${line}: this is not JSON`, { cause: error })
  }
}

/** The name in a comment on the first line, or one made of the line number. */
function fileOf({ line, language, text }: Block): string {
  const [, named] = /^(?:\/\/|#|--) ([\w.-]+\.(?:ts|js|mjs|py|sql))\n/.exec(text) ?? []
  return named ?? `line-${line}.${language === 'js' ? 'mjs' : language === 'python' ? 'py' : language}`
}
