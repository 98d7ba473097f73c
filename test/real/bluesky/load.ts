import { requireInstalled } from '../packages.ts'

/** Loads a package of this folder; it stands here because packages are looked up from the file that asks. */
export async function loadBlueskyPackage<Shape>(name: string): Promise<Shape> {
  await requireInstalled('bluesky')
  return (await import(name)) as Shape
}
