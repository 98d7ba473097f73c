import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from '../real/install.mjs'

export interface NodeToTry {
  name: string
  /** Returns the path of the program, or why it is missing. */
  find: () => Promise<string | { missing: string }>
}

const FOLDER = join(import.meta.dirname, '../real/nodes/node_modules')

/**
 * The Nodes on which the package is tried: this one, and the one that a person has. `PACKAGE_NODES=all` adds the newest of each
 * supported version, which are downloaded once.
 */
export function nodesToTry(): NodeToTry[] {
  const nodes: NodeToTry[] = [{ name: `Node ${process.versions.node}`, find: async () => process.execPath }]
  const own = nodeOfPath()
  if (own !== undefined) nodes.push({ name: `the machine's Node ${own.version}`, find: async () => own.path })
  if (process.env['PACKAGE_NODES'] !== 'all') return nodes
  return [...nodes, ...[20, 22, 24].map((major) => ({ name: `Node ${major} of npm`, find: () => downloaded(major) }))]
}

async function downloaded(major: number): Promise<string | { missing: string }> {
  const outcome = await ensureInstalled('nodes')
  if (!outcome.ready) return { missing: outcome.reason }
  const path = join(FOLDER, `node-${major}-${process.arch}`, 'bin/node')
  return existsSync(path) ? path : { missing: `npm has no Node ${major} for ${process.platform}-${process.arch}` }
}

/** The first Node of PATH outside of `node_modules`. */
function nodeOfPath(): { path: string; version: string } | undefined {
  const folder = (process.env['PATH'] ?? '')
    .split(':')
    .find((each) => !each.includes('node_modules') && existsSync(join(each, 'node')))
  if (folder === undefined) return undefined
  const path = join(folder, 'node')
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().slice(1)
  return Number(version.split('.')[0]) < 20 ? undefined : { path, version }
}
