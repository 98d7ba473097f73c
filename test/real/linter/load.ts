import { requireInstalled } from '../packages.ts'

/** Loads a package of this folder. The caller declares the types it uses. */
export async function loadLinterPackage<Shape>(name: string): Promise<Shape> {
  await requireInstalled('linter')
  return (await import(name)) as Shape
}
