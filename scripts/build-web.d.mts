/** Whether web/dist was built from the sources as they are. */
export function isWebCurrent(root?: string): boolean
/** Builds the pages if they are missing or older than their sources. Returns true if it built. */
export function buildWeb(root?: string): boolean
