import { requireInstalled } from '../packages.ts'

/** Loads a vendor's SDK of this folder. Node resolves packages from the file that imports them, hence this file. */
export async function loadSdk<Shape>(name: string): Promise<Shape> {
  await requireInstalled('sdks')
  return (await import(name)) as Shape
}
