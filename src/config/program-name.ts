/** The npm package that contains this service; `tributary` alone is the package of somebody else. */
export const PACKAGE = '@tributary-hub/server'

/** How to run our commands, as an installed package or in a clone. Without the flag `npx` may fetch that other package. */
export const PROGRAM = import.meta.filename.includes('/node_modules/')
  ? 'npx --no-install tributary'
  : 'npm run --silent tributary --'
