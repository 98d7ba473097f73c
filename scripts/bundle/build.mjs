// Builds the service with its packages into a few JavaScript files, which start faster and need less memory than the sources.
// Plain JavaScript, because the image builds it without the tools.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isRunning, takeLock } from '../build-lock.mjs'
import { ensureInstalled } from '../install.mjs'
import { installWeb } from '../install-web.mjs'
import { bundleFolder, isUsed } from './current.mjs'
import { noticesOf } from './notices.mjs'
import { findOwnFiles } from './own-files.mjs'

const repository = fileURLToPath(new URL('../..', import.meta.url))
/** The programs, and the kit for connectors of operators: it must be the one that the programs use. */
const ENTRIES = {
  main: 'src/main.ts',
  'worker-main': 'src/boot/worker-main.ts',
  'demo-services': 'lab/demo/main.ts',
  kit: 'src/kit/public.ts',
}

/** Builds the bundle of the sources as they are, if it is missing. One process at a time; others wait for it. Returns its folder. */
export async function buildBundle(root = repository) {
  const folder = bundleFolder(root)
  if (existsSync(folder)) return folder
  mkdirSync(dirname(folder), { recursive: true })
  const release = takeLock(join(root, 'web', '.building'))
  try {
    if (existsSync(folder)) return folder
    const draft = join(root, 'bundle', `.new-${process.pid}`)
    await writeBundle(draft, '../..', root)
    // What is written so far survives a power failure, so that a bundle which is there is whole.
    for (const file of readdirSync(draft, { recursive: true })) sync(join(draft, file))
    renameSync(draft, folder)
    removeUnused(root, basename(folder))
    return folder
  } finally {
    release()
  }
}

/** Writes a bundle into a folder, from which `toRoot` leads to the files that it reads: migrations, documents, pages. */
export async function writeBundle(folder, toRoot, root = repository) {
  installWeb(root)
  const { resolve } = createRequire(join(root, 'web/package.json'))
  const { rolldown } = await import(
    pathToFileURL(join(dirname(resolve('rolldown/package.json')), 'dist/index.mjs')).href
  )
  rmSync(folder, { recursive: true, force: true })
  const bundle = await rolldown({
    cwd: root,
    input: ENTRIES,
    platform: 'node',
    // Packages that our packages use if they are there.
    external: ['pg-native'],
    plugins: [findOwnFiles(root, ENTRIES, toRoot)],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    comments: { legal: false, jsdoc: false },
    // Names stay; with `--enable-source-maps` a stack also says the line in the sources.
    sourcemap: true,
    sourcemapExcludeSources: true,
    // V8 keeps a source in one byte per character if it can, and in two otherwise.
    charset: 'ascii',
  })
  await bundle.close()
  writeFileSync(join(folder, 'NOTICES.txt'), noticesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)))
}

/** Removes bundles that no process uses, and drafts that were not completed. The newest other one stays: its user may not have been able to mark it. */
function removeUnused(root, current) {
  const parent = join(root, 'bundle')
  const others = readdirSync(parent)
    .filter((name) => name !== current)
    .sort((a, b) => statSync(join(parent, b)).mtimeMs - statSync(join(parent, a)).mtimeMs)
  const newest = others.find((name) => !name.startsWith('.'))
  for (const name of others) {
    const isDraft = name.startsWith('.')
    if (name === newest || (isDraft ? isRunning(Number(name.split('-').at(-1))) : isUsed(join(parent, name)))) continue
    // Renamed first: half of a bundle never has a name under which it is found.
    const old = join(parent, `.old-${process.pid}`)
    renameSync(join(parent, name), old)
    rmSync(old, { recursive: true, force: true })
  }
}

function sync(path) {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = Date.now()
  const [target] = process.argv.slice(2)
  // A release has it at a fixed place, with packages that are installed already.
  if (target !== undefined) await writeBundle(join(repository, target), '..')
  else {
    ensureInstalled(repository, { tools: false })
    if (!existsSync(bundleFolder(repository))) {
      await buildBundle()
      process.stderr.write(`Built the bundle in ${((Date.now() - started) / 1000).toFixed(1)} s.\n`)
    }
  }
}
