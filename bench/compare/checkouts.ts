import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
const CONNECTORS = 'bench/compare/connectors'

/** A folder with the sources and packages of one state of the repository. */
export interface Checkout {
  name: string
  folder: string
  /** Of the connector that the comparison uses, inside the folder. */
  connectors: string
  /** Of code that Node has compiled. */
  cache: string
}

/** The working tree, with what is not committed. */
export const ownCheckout: Checkout = {
  name: 'the working tree',
  folder: ROOT,
  connectors: join(ROOT, CONNECTORS),
  cache: join(ROOT, 'node_modules/.cache/tributary'),
}

/** Another commit in a temporary folder, with the packages of its own lock file; removed with `cleanup`. */
export function checkOut(commit: string, cleanup: AsyncDisposableStack): Checkout {
  const hash = git('rev-parse', '--verify', '--short', `${commit}^{commit}`)
  const temporary = mkdtempSync(join(tmpdir(), 'tributary-against-'))
  const folder = join(temporary, 'tree')
  cleanup.defer(() => {
    rmSync(temporary, { recursive: true, force: true })
    git('worktree', 'prune')
  })
  git('worktree', 'add', '--quiet', '--detach', folder, hash)
  if (hasSamePackages(folder)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  else installPackages(folder)
  cpSync(ownCheckout.connectors, join(folder, CONNECTORS), { recursive: true })
  return { name: hash, folder, connectors: join(folder, CONNECTORS), cache: join(temporary, 'cache') }
}

/** Whether the lock files name the same packages, whatever the repository itself was called. */
function hasSamePackages(folder: string): boolean {
  const [own, other] = [ROOT, folder].map((each) => {
    const path = join(each, 'package-lock.json')
    if (!existsSync(path)) return undefined
    const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, { name?: string }> }
    const { name: _name, ...rest } = lock.packages['']!
    return JSON.stringify({ ...lock.packages, '': rest })
  })
  return own === other
}

function installPackages(folder: string): void {
  process.stderr.write('Installing the packages of the other commit …\n')
  const flags = ['--omit=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['ci', ...flags], { cwd: folder, stdio: ['ignore', 2, 2] })
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}
