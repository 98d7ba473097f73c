import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from '../real/install.mjs'

export interface NodeToTry {
  name: string
  /** Returns the path of the program, or why it is missing. */
  find: () => Promise<string | { missing: string }>
}

const FOLDER = join(import.meta.dirname, '../real/runtimes/node_modules')

/** The Nodes on which the package is tried: this one, and the newest of each older version that is supported. */
export function nodesToTry(): NodeToTry[] {
  const older = [20, 22].map((major) => ({ name: `Node ${major}`, find: () => downloaded(major) }))
  return [{ name: `Node ${process.versions.node}`, find: async () => process.execPath }, ...older]
}

async function downloaded(major: number): Promise<string | { missing: string }> {
  const outcome = await ensureInstalled('runtimes')
  if (!outcome.ready) return { missing: outcome.reason }
  const path = join(FOLDER, `node-${major}-${process.arch}`, 'bin/node')
  return existsSync(path) ? path : { missing: `npm has no Node ${major} for ${process.platform}-${process.arch}` }
}
