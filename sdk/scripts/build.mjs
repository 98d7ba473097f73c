// Builds the package into dist (or the folder given as the first argument): ES modules, CommonJS, and types for both. The tools are
// those of the pages, so that a clone which runs can build it. Plain JavaScript, because it starts on any Node from 20 on.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { installWeb } from '../../scripts/install-web.mjs'

const here = fileURLToPath(new URL('..', import.meta.url))
const repository = fileURLToPath(new URL('../..', import.meta.url))
const ENTRIES = ['index', 'browser']
/** `from './x.ts'` and `import('./x.ts')`, which types still say. */
const IMPORTED = /(from ['"]|import\(["'])(\.[^'"]+)\.ts(["'])/g

/** Builds the package of the clone `root` into a folder. */
export async function buildClient(target, root = repository) {
  const sdk = join(root, 'sdk')
  const source = join(sdk, 'src')
  const { rolldown, isolatedDeclarationSync } = await tools(root)
  rmSync(join(target, 'dist'), { recursive: true, force: true })
  for (const format of ['esm', 'cjs']) {
    const out = join(target, 'dist', format)
    const bundle = await rolldown({
      cwd: sdk,
      input: Object.fromEntries(ENTRIES.map((name) => [name, join(source, `${name}.ts`)])),
      platform: 'neutral',
      transform: { target: 'es2022' },
      onLog: (level, log) => {
        if (level === 'warn') throw new Error(log.message)
      },
    })
    await bundle.write({
      dir: out,
      format,
      preserveModules: true,
      preserveModulesRoot: source,
      entryFileNames: '[name].js',
    })
    await bundle.close()
    writeFileSync(join(out, 'package.json'), `{ "type": "${format === 'esm' ? 'module' : 'commonjs'}" }\n`)
    for (const file of readdirSync(source, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts'))) {
      const { code, errors } = isolatedDeclarationSync(file, readFileSync(join(source, file), 'utf8'))
      if (errors.length > 0) throw new Error(`sdk/src/${file}: ${errors[0].message}`)
      const declaration = join(out, file.replace(/\.ts$/, '.d.ts'))
      mkdirSync(dirname(declaration), { recursive: true })
      writeFileSync(declaration, code.replaceAll(IMPORTED, '$1$2.js$3'))
    }
  }
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
  if (target !== sdk)
    for (const file of ['package.json', 'README.md']) copyFileSync(join(sdk, file), join(target, file))
}

async function tools(root) {
  installWeb(root)
  const { resolve } = createRequire(join(root, 'web/package.json'))
  const folder = join(dirname(resolve('rolldown/package.json')), 'dist')
  const [{ rolldown }, { isolatedDeclarationSync }] = await Promise.all(
    ['index.mjs', 'experimental-index.mjs'].map((file) => import(pathToFileURL(join(folder, file)).href)),
  )
  return { rolldown, isolatedDeclarationSync }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildClient(process.argv[2] ?? here.replace(/\/$/, ''))
