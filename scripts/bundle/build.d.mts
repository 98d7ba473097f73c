/** Builds the bundle of the sources as they are, if it is missing. Returns its folder. */
export function buildBundle(root?: string): Promise<string>
/** Writes a bundle into a folder, from which `toRoot` leads to the files that it reads: migrations, documents, pages. */
export function writeBundle(folder: string, toRoot: string, root?: string): Promise<void>
