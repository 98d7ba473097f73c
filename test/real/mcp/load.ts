import { requireInstalled } from '../packages.ts'

/** Loads a package of this folder. Node resolves packages from the file that imports them, hence this file. */
export async function loadMcpPackage<Shape>(name: string): Promise<Shape> {
  await requireInstalled('mcp')
  return (await import(name)) as Shape
}
