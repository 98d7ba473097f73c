// Builds the package into dist (or the folder given as the first argument): ES modules, CommonJS, and types for both.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('..', import.meta.url))
const target = process.argv[2] ?? here
const dist = join(target, 'dist')
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

rmSync(dist, { recursive: true, force: true })
const FORMATS = {
  esm: [],
  cjs: ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'],
}
for (const [format, args] of Object.entries(FORMATS)) {
  const out = join(dist, format)
  mkdirSync(out, { recursive: true })
  execFileSync(process.execPath, [compiler, '-p', join(here, 'tsconfig.json'), '--outDir', out, ...args], {
    stdio: 'inherit',
  })
  writeFileSync(join(out, 'package.json'), `{ "type": "${format === 'esm' ? 'module' : 'commonjs'}" }\n`)
  for (const file of readdirSync(out, { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(out, file), 'utf8')
    // The compiler rewrites the extensions of imports in scripts only.
    writeFileSync(join(out, file), text.replaceAll(/(from '|import\(["'])(\.[^'"]+)\.ts(["'])/g, '$1$2.js$3'))
  }
}
copyFileSync(join(here, '../LICENSE'), join(target, 'LICENSE'))
if (target !== here)
  for (const file of ['package.json', 'README.md']) copyFileSync(join(here, file), join(target, file))
