import { ensureInstalled } from './real/install.mjs'

/**
 * Installs what the tests against real services need; returns the names of what is not available, so that it counts
 * as skipped.
 */
export async function prepareRealServices(): Promise<string[]> {
  const missing: string[] = []
  for (const folder of ['core', 'bluesky', 'mcp', 'schemas', 'linter', 'runtimes', 'express'] as const) {
    const outcome = await ensureInstalled(folder)
    if (!outcome.ready) missing.push(`tests with the real services of ${folder}: ${outcome.reason}`)
  }
  return missing
}
