import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Locked {
  version: string
  integrity?: string
  license?: string
  deprecated?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** A run-time package of a release. */
export interface Shipped extends Locked {
  name: string
  /** The direct dependencies that require it; itself if it is one. */
  requiredBy: string[]
}

const root = join(import.meta.dirname, '..', '..')

/** Every entry of a lock file by its path, `''` being the package itself. */
export function lockedPackages(folder = ''): Record<string, Locked> {
  const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  return packages
}

/** The packages of a release according to the lock file, for all platforms. */
export function shippedPackages(packages = lockedPackages()): Shipped[] {
  const requiredBy = new Map<string, Set<string>>()
  const own = packages['']!
  for (const direct of Object.keys({ ...own.dependencies, ...own.optionalDependencies })) {
    const pending = [`node_modules/${direct}`]
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const roots = requiredBy.get(path) ?? new Set()
      requiredBy.set(path, roots)
      if (roots.has(direct)) continue
      roots.add(direct)
      const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {}
      for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
        const found = resolvePath(packages, path, name)
        if (found !== undefined && packages[found]?.dev !== true) pending.push(found)
      }
    }
  }
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, locked]) => ({
      ...locked,
      name: path.split('node_modules/').at(-1)!,
      requiredBy: [...(requiredBy.get(path) ?? [])],
    }))
}

/** Like Node's resolution: first in the package's own folder, then in the parents. */
function resolvePath(packages: Record<string, Locked>, from: string, name: string): string | undefined {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const path = base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (base === '') return undefined
  }
}
