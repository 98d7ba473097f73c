import { execFile } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage } from '../../scripts/package/build.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

export interface InstalledPackage {
  /** An empty folder in which the package is installed. */
  folder: string
  /** Where the package is. */
  path: string
  remove: () => void
}

/**
 * Builds and packs the package, and installs the packed file into an empty folder. Its direct dependencies are links to those of the
 * repository, so that no registry is needed, and what it does not declare is missing.
 */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-package-')))
  // For the system user that runs the embedded database when root runs the test.
  chmodSync(folder, 0o755)
  const build = join(folder, 'build')
  const path = join(folder, 'node_modules/@tributary-hub/server')
  await buildPackage(build)
  await run('npm', ['pack', build, '--pack-destination', folder, '--loglevel=error'], { cwd: folder })
  const [packed] = globSync('tributary-hub-server-*.tgz', { cwd: folder })
  mkdirSync(path, { recursive: true })
  await run('tar', ['--extract', '--file', join(folder, packed!), '--strip-components=1', '--directory', path])
  for (const file of [build, join(folder, packed!)]) rmSync(file, { recursive: true })
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'optionalDependencies',
    Record<string, string>
  >
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) link(folder, name)
  mkdirSync(join(folder, 'node_modules/.bin'))
  symlinkSync('../@tributary-hub/server/bin/tributary.mjs', join(folder, 'node_modules/.bin/tributary'))
  chmodSync(join(path, 'bin/tributary.mjs'), 0o755)
  return {
    folder,
    path,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  }
}

/** Packages for other platforms are absent. */
function link(folder: string, name: string): void {
  const [source] = globSync(join(root, 'node_modules', name))
  if (source === undefined) return
  const target = join(folder, 'node_modules', name)
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(realpathSync(source), target)
}
