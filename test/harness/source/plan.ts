/** Which rooms of the sources a room may import, type imports included. ARCHITECTURE.md shows the same table. */
export const MAY_IMPORT: Record<string, string[]> = {
  platform: [],
  model: ['platform'],
  config: ['model', 'platform'],
  kit: ['model', 'platform'],
  store: ['model', 'platform'],
  upstream: ['kit', 'model', 'platform'],
  access: ['upstream', 'store', 'kit', 'model', 'platform'],
  identity: ['access', 'upstream', 'store', 'kit', 'model', 'platform'],
  catalogue: [],
  connectors: ['kit', 'model'],
  destinations: ['model', 'platform'],
  flows: ['identity', 'access', 'destinations', 'upstream', 'store', 'kit', 'model', 'config', 'platform'],
  http: ['flows', 'identity', 'kit', 'model', 'config', 'platform'],
  cli: ['flows', 'identity', 'kit', 'model', 'config', 'platform'],
}
/** Siblings that a flow may import; the others stay apart, and so do connectors. What several flows need is in `identity` and `access`. */
export const MAY_IMPORT_FLOWS: Record<string, string[]> = {
  'sign-in': [],
  agents: ['sign-in'],
  connect: ['agents', 'sign-in'],
  uploads: ['sign-in'],
}
