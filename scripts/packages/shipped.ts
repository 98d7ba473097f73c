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

/** A package that a release holds at run time. */
export interface Shipped extends Locked {
  name: string
  /** Our direct dependencies through which it comes; itself, where it is one. */
  broughtBy: string[]
}

const root = join(import.meta.dirname, '..', '..')

/** Every entry of the lock file by its path, `''` being Tributary itself. */
export function lockedPackages(): Record<string, Locked> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  return packages
}

/** The packages of a release by the lock file, on all platforms together, with who brings them. */
export function shippedPackages(packages = lockedPackages()): Shipped[] {
  const broughtBy = new Map<string, Set<string>>()
  const own = packages['']!
  for (const direct of Object.keys({ ...own.dependencies, ...own.optionalDependencies })) {
    const open = [`node_modules/${direct}`]
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const brings = broughtBy.get(path) ?? new Set()
      broughtBy.set(path, brings)
      if (brings.has(direct)) continue
      brings.add(direct)
      const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {}
      for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
        const found = resolvePath(packages, path, name)
        if (found !== undefined && packages[found]?.dev !== true) open.push(found)
      }
    }
  }
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, locked]) => ({
      ...locked,
      name: path.split('node_modules/').at(-1)!,
      broughtBy: [...(broughtBy.get(path) ?? [])],
    }))
}

/** As Node looks: in the package's own folder first, then outward. */
function resolvePath(packages: Record<string, Locked>, from: string, name: string): string | undefined {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const path = base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (base === '') return undefined
  }
}
