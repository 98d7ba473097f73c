/** How to run our commands: in the npm package this file is JavaScript. */
export const PROGRAM = import.meta.filename.endsWith('.js') ? 'npx tributary' : 'npm run --silent tributary --'
