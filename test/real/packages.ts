import { ensureInstalled, type RealFolder } from './install.mjs'

/** Why the packages of a folder cannot be used, as a test's `skip` option; false when they can. */
export async function packagesMissing(folder: RealFolder): Promise<string | false> {
  const outcome = await ensureInstalled(folder)
  return outcome.ready ? false : outcome.reason
}

/**
 * Loads a package of test/real. The caller declares the types it uses, because these packages are absent
 * when the types of a fresh clone are checked.
 */
export async function loadCorePackage<Shape>(name: string): Promise<Shape> {
  await requireInstalled('core')
  return (await import(name)) as Shape
}

export async function requireInstalled(folder: RealFolder): Promise<void> {
  const reason = await packagesMissing(folder)
  if (reason !== false) throw new Error(reason)
}
