/** A fenced block of a page. */
export interface Block {
  /** The number of its first line. */
  line: number
  language: string
  text: string
  /** What a block is for, as its info string says: to be run, the output of the block before it, or neither. */
  use: { kind: 'run' } | { kind: 'output' } | { kind: 'no-run'; reason: string }
}

/** The fenced blocks of a page, in order. Fences of list items are indented; so is their text. */
export function readBlocks(page: string): Block[] {
  const blocks: Block[] = []
  let open: (Block & { indent: string }) | undefined
  for (const [index, line] of page.split('\n').entries()) {
    const fence = /^( *)```(.*)$/.exec(line)
    if (open === undefined && fence !== null)
      open = { line: index + 1, indent: fence[1]!, text: '', ...readInfo(fence[2]!, index + 1) }
    else if (open !== undefined && fence?.[2] === '') {
      const { indent: _indent, ...block } = open
      blocks.push(block)
      open = undefined
    } else if (open !== undefined)
      open.text += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line}\n`
  }
  if (open !== undefined) throw new Error(`line ${open.line}: the block does not end`)
  return blocks
}

function readInfo(info: string, line: number): Pick<Block, 'language' | 'use'> {
  const [, language = '', rest = ''] = /^(\w*) *(.*)$/.exec(info)!
  if (rest === '') return { language, use: { kind: 'run' } }
  if (rest === 'output') return { language, use: { kind: 'output' } }
  const [, reason] = /^no-run: (.{5,})$/.exec(rest) ?? []
  if (reason === undefined) throw new Error(`line ${line}: “${rest}” is neither “output” nor “no-run: <reason>”`)
  return { language, use: { kind: 'no-run', reason } }
}
