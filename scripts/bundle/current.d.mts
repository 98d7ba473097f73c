/** The folder of the bundle for the sources as they are, built or not. */
export function bundleFolder(root: string): string
/** The bundle for the sources as they are; undefined when it is not built. */
export function currentBundle(root: string): string | undefined
