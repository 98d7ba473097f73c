import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { buildWeb } from '../build-web.mjs'
import { localSpecifiers, toJavaScript } from './specifiers.ts'

const root = join(import.meta.dirname, '..', '..')

/** What the package carries as JavaScript, because Node does not strip types below `node_modules`. */
const SOURCES = ['src/**', 'lab/**']
/** What it carries as it is. */
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
/** Only tests and people who change the sources use these. */
const LEFT_OUT = ['**/*.test.ts', 'src/**/README.md', 'lab/testing/**', 'lab/**/testing.ts']

/**
 * Writes the npm package into a folder: a mirror of the sources as JavaScript, the migrations, the types of the kit and the list of
 * packages. Lines and columns stay the same, so that stack traces lead to the sources.
 */
export function buildPackage(target: string): void {
  rmSync(target, { recursive: true, force: true })
  for (const file of globSync(SOURCES, { cwd: root, exclude: LEFT_OUT, withFileTypes: true })) {
    if (!file.isFile()) continue
    const path = join(file.parentPath, file.name)
    writeSource(path, join(target, relative(root, path)))
  }
  buildWeb()
  for (const path of COPIED) cpSync(join(root, path), join(target, path), { recursive: true })
  mkdirSync(join(target, 'bin'))
  cpSync(join(import.meta.dirname, 'bin.mjs'), join(target, 'bin/tributary.mjs'))
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  writeTypes(target)
  run(process.execPath, [join(root, 'scripts/sbom.mjs'), join(target, 'sbom.json')])
  checkSpecifiers(target)
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
    imports: { '#*': './src/*' },
    exports: {
      './kit': { types: './src/kit/public.d.ts', default: './src/kit/public.js' },
      './package.json': './package.json',
    },
    dependencies,
    optionalDependencies,
  }
}

function writeSource(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  if (!from.endsWith('.ts')) cpSync(from, to)
  else writeFileSync(to.replace(/\.ts$/, '.js'), toJavaScript(stripTypeScriptTypes(readFileSync(from, 'utf8'))))
}

/** The types of what `@tributary-hub/server/kit` exports. */
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
      writeFileSync(join(target, file), toJavaScript(readFileSync(join(folder, file), 'utf8')))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Every import inside the mirror leads to a file of it. */
function checkSpecifiers(target: string): void {
  const lost = globSync('{src,lab}/**/*.js', { cwd: target }).flatMap((file) =>
    localSpecifiers(readFileSync(join(target, file), 'utf8'))
      .map((specifier) =>
        specifier.startsWith('#') ? join('src', specifier.slice(1)) : join(dirname(file), specifier),
      )
      .filter((path) => !existsSync(join(target, path)))
      .map((path) => `${file} → ${path}`),
  )
  if (lost.length > 0) throw new Error(`These imports lead nowhere:\n${lost.join('\n')}`)
}

function run(command: string, args: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stdout + stderr}`)
}

// Not `import.meta.main`: scripts/run.mjs imports this file when the machine's Node is new enough.
if (process.argv[1] === import.meta.filename) {
  const [server, client] = [join(root, 'dist/server'), join(root, 'dist/client')]
  buildPackage(server)
  mkdirSync(client, { recursive: true })
  run(process.execPath, [join(root, 'sdk/scripts/build.mjs'), client])
  for (const folder of [server, client]) run('npm', ['pack', folder, '--ignore-scripts', '--pack-destination', root])
}
