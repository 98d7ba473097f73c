#!/usr/bin/env node
// The command `tributary`, the same as `npm run tributary --`.
process.argv.splice(2, 0, 'src/main.ts')
await import('./run.mjs')
