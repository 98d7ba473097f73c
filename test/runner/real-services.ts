import { ensureInstalled, type RealFolder } from '../real/install.mjs'
import type { Tier } from './tiers.ts'

const FOR_EVERY_TIER: RealFolder[] = ['core', 'schemas', 'linter', 'sdks']

/**
 * Installs what the tests of a tier need of other software; returns the names of what is not available, so that it counts
 * as skipped.
 */
export async function prepareRealServices(tier: Tier): Promise<string[]> {
  const missing: string[] = []
  const more: RealFolder[] = tier === 'test' ? [] : ['bluesky', 'mcp', 'runtimes', 'express']
  for (const folder of [...FOR_EVERY_TIER, ...more]) {
    const outcome = await ensureInstalled(folder)
    if (!outcome.ready) missing.push(`tests with the real services of ${folder}: ${outcome.reason}`)
  }
  return missing
}
