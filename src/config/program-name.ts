/** The npm package that contains this service; `tributary` alone is the package of somebody else. */
export const PACKAGE = '@tributary-hub/server'

/** How to run our commands: in the npm package this file is JavaScript. Without the flag `npx` may fetch that other package. */
export const PROGRAM = import.meta.filename.endsWith('.js')
  ? 'npx --no-install tributary'
  : 'npm run --silent tributary --'
