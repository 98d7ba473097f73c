import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Config } from '#config/config.ts'
import { connectors } from '#connectors/index.ts'
import type { StartSimulator } from '#kit/auth/simulator.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { connectorFault, createRegistry, type Registry } from '#kit/connector/registry.ts'
import { reasonOf, SetupError } from '#platform/errors.ts'
import { filesOf, openCatalogue } from './catalogue.ts'
import { provideKitPackage } from './kit-package.ts'

export async function loadRegistry({ connectorsDir }: Config): Promise<Registry> {
  return createRegistry([...connectors, ...(await operatorConnectors(connectorsDir))], openCatalogue())
}

/** The operator's own connectors. An invalid file stops the start and is reported with its fault. */
async function operatorConnectors(folder: string | undefined): Promise<Connector[]> {
  if (folder === undefined) return []
  const found: Connector[] = []
  const help = `Fix the file, or move it out of ${folder}.`
  for (const path of filesOf(folder, '.services.json')) found.push(...(await loadEntryFile(path, help)))
  for (const name of readdirSync(folder).filter(isConnectorFile))
    found.push(await loadConnectorFile(join(folder, name), help))
  return found
}

/** Loads a file of entries, as the catalogue has them. Each fault is reported with the service and the path in its entry. */
export async function loadEntryFile(path: string, help: string): Promise<Connector[]> {
  // The checks and their parser are needed only where there is such a file.
  const { readEntryFile } = await import('./read-entry-file.ts')
  const { connectors: expanded, faults } = readEntryFile(readFileSync(path, 'utf8'))
  if (faults.length > 0) throw unusable(path, faults.join('; '), help)
  return expanded
}

function isConnectorFile(name: string): boolean {
  return /\.(ts|js|mjs)$/.test(name) && !/\.(test|simulator)\.\w+$/.test(name) && !name.endsWith('.d.ts')
}

/** Loads a connector of an operator. Its faults are reported with the file, the fields and what was expected there. */
export async function loadConnectorFile(path: string, help: string): Promise<Connector> {
  const loaded = await defaultExport(path, help)
  const fault = connectorFault(loaded)
  if (fault !== undefined) throw unusable(path, fault, help)
  return loaded as Connector
}

/** Loads the function that starts a simulator. */
export async function loadSimulatorFile(path: string): Promise<StartSimulator> {
  const help = 'Export a function as the default that starts a Simulator (see @tributary-hub/server/kit).'
  const loaded = await defaultExport(path, help)
  if (typeof loaded !== 'function') throw unusable(path, 'its default export is not a function', help)
  return loaded as StartSimulator
}

async function defaultExport(path: string, help: string): Promise<unknown> {
  provideKitPackage()
  try {
    return ((await import(pathToFileURL(path).href)) as { default?: unknown }).default
  } catch (error) {
    throw unusable(path, `${reasonOf(error)}${lineIn(path, error)}`, help)
  }
}

/** Where in the file an error arose, if its stack says so. */
function lineIn(path: string, error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const at = stack.indexOf(pathToFileURL(path).href)
  const [, line] = at < 0 ? [] : (/^:(\d+)/.exec(stack.slice(at + pathToFileURL(path).href.length)) ?? [])
  return line === undefined ? '' : ` (line ${line})`
}

function unusable(path: string, fault: string, help: string): SetupError {
  return new SetupError(`The connector ${path} cannot be used: ${fault}.`, { code: 'connector_invalid', help })
}
