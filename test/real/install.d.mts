export type RealFolder = 'core' | 'bluesky' | 'mcp' | 'schemas' | 'linter' | 'runtimes' | 'helm' | 'express' | 'sdks'

/**
 * Installs the packages of a folder unless they are present; returns whether they are, and if not, why. Never
 * throws.
 */
export function ensureInstalled(name: RealFolder): Promise<{ ready: true } | { ready: false; reason: string }>
