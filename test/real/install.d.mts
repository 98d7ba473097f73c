export type RealFolder = 'core' | 'bluesky' | 'schemas'

/** Installs a folder's packages unless they are there; answers whether they are, and if not, why. Never throws. */
export function ensureInstalled(name: RealFolder): Promise<{ ready: true } | { ready: false; reason: string }>
