import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildWeb } from '../build-web.mjs'
import { writeBundle } from '../bundle/build.mjs'

const root = join(import.meta.dirname, '..', '..')

/** What the package carries as it is, beside the bundle. */
const COPIED = [
  'migrations',
  'deploy',
  'docs',
  'web/dist',
  'LICENSE',
  'NOTICE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
]
/** Writes the npm package into a folder: the bundle, what it reads, the types of the kit and the list of packages. */
export async function buildPackage(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true })
  await writeBundle(join(target, 'bundle'), '..')
  buildWeb()
  for (const path of [...COPIED, ...globSync('lab/services/demo-*/README.md', { cwd: root })])
    cpSync(join(root, path), join(target, path), { recursive: true })
  mkdirSync(join(target, 'bin'))
  cpSync(join(import.meta.dirname, 'bin.mjs'), join(target, 'bin/tributary.mjs'))
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  writeTypes(target)
  run(process.execPath, [join(root, 'scripts/sbom.mjs'), join(target, 'sbom.json')])
}

/** The package's own manifest: without tools, and with exports that lead to JavaScript and types. */
function manifest(): object {
  const { name, version, description, license, engines, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Record<string, unknown>
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { tributary: 'bin/tributary.mjs' },
    // For the types of the kit.
    imports: { '#*': './src/*' },
    exports: {
      './kit': { types: './src/kit/public.d.ts', default: './bundle/kit.js' },
      './package.json': './package.json',
    },
    dependencies,
    optionalDependencies,
  }
}

/** An import, an export from, or a dynamic import of a module of ours. */
const LOCAL_MODULE = /(\b(?:from|import|import\()\s*)(['"])((?:#|\.{1,2}\/)[\w./-]+)\.ts\2/g

/** The types of what `@tributary-hub/server/kit` exports. They name modules as JavaScript, as installed packages must. */
function writeTypes(target: string): void {
  const folder = mkdtempSync(join(root, 'node_modules', '.tributary-types-'))
  try {
    const options = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: folder }
    const project = join(folder, 'tsconfig.json')
    const kit = join(root, 'src/kit/public.ts')
    const base = join(root, 'tsconfig.json')
    writeFileSync(
      project,
      JSON.stringify({
        extends: base,
        compilerOptions: { ...options, typeRoots: [join(root, 'node_modules/@types')] },
        files: [kit],
        include: [],
      }),
    )
    run(join(root, 'node_modules/.bin/tsc'), ['--project', project])
    for (const file of globSync('src/**/*.d.ts', { cwd: folder })) {
      mkdirSync(dirname(join(target, file)), { recursive: true })
      writeFileSync(
        join(target, file),
        readFileSync(join(folder, file), 'utf8').replaceAll(LOCAL_MODULE, '$1$2$3.js$2'),
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(command: string, args: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stdout + stderr}`)
}

// Not `import.meta.main`: scripts/run.mjs imports this file when the machine's Node is new enough.
if (process.argv[1] === import.meta.filename) {
  const [server, client] = [join(root, 'dist/server'), join(root, 'dist/client')]
  await buildPackage(server)
  mkdirSync(client, { recursive: true })
  run(process.execPath, [join(root, 'sdk/scripts/build.mjs'), client])
  for (const folder of [server, client]) run('npm', ['pack', folder, '--ignore-scripts', '--pack-destination', root])
}
