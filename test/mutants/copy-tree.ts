import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Installed packages and built pages: not copied, because no mutant changes them. */
const LINKED = ['node_modules', 'web/node_modules', 'web/dist', 'sdk/dist']

/** A copy of the working tree, with changes that are not committed, in a temporary folder. The caller removes it. */
export function copyTree(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'tributary-mutants-'))
  // Tests as root start databases as another user, who reads files below this folder.
  chmodSync(copy, 0o755)
  const git = (folder: string, ...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  const files = git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0').filter(Boolean)
  for (const file of files.filter((each) => existsSync(join(root, each)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  }
  for (const folder of LINKED.filter((each) => existsSync(join(root, each))))
    symlinkSync(join(root, folder), join(copy, folder))
  // Some tests ask git for the files.
  git(copy, 'init', '--quiet')
  git(copy, 'add', '--all')
  return copy
}
