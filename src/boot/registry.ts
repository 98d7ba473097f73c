import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connectors } from '#connectors/index.ts'
import type { Connector } from '#kit/connector.ts'
import { connectorFault, createRegistry, type Registry } from '#kit/registry.ts'
import type { Config } from '#platform/config.ts'
import { reasonOf, SetupError } from '#platform/errors.ts'

export async function loadRegistry({ connectorsDir }: Config): Promise<Registry> {
  return createRegistry([...connectors, ...(await operatorConnectors(connectorsDir))])
}

/** The operator's own connectors. An invalid file stops the start and is reported with its fault. */
async function operatorConnectors(folder: string | undefined): Promise<Connector[]> {
  if (folder === undefined) return []
  const found: Connector[] = []
  for (const name of readdirSync(folder).filter((file) => /\.(ts|js|mjs)$/.test(file) && !file.endsWith('.test.ts'))) {
    const path = join(folder, name)
    let fault: string | undefined
    try {
      const loaded = ((await import(pathToFileURL(path).href)) as { default?: unknown }).default
      fault = connectorFault(loaded)
      if (fault === undefined) found.push(loaded as Connector)
    } catch (error) {
      fault = reasonOf(error)
    }
    if (fault !== undefined) {
      throw new SetupError(`The connector ${path} cannot be used: ${fault}.`, {
        code: 'connector_invalid',
        help: `Fix the file, or move it out of ${folder}.`,
      })
    }
  }
  return found
}
