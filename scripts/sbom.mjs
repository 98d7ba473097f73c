// Writes the run-time packages of a release as a CycloneDX document, to the given file or to standard output.
// Plain JavaScript, so that it runs without installed packages: npm reads the lock file.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error']
const { status, stdout, stderr, error } = spawnSync('npm', args, {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  shell: process.platform === 'win32',
})
if (error !== undefined || status !== 0) {
  process.stderr.write(`npm sbom failed: ${error?.message ?? stderr}\n`)
  process.exit(1)
}

// `npm sbom --omit=dev` also omits packages that both a tool and the service need; the lock file is correct.
const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'))
const shipped = new Set(
  Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
)
const document = JSON.parse(stdout)
const own = document.metadata.component['bom-ref']
document.metadata.component.name = 'tributary'
document.metadata.component.type = 'application'
document.components = document.components.filter((component) => shipped.has(component['bom-ref']))
document.dependencies = document.dependencies
  .filter(({ ref }) => ref === own || shipped.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => shipped.has(each)) }))

const text = `${JSON.stringify(document, null, 2)}\n`
const [file] = process.argv.slice(2)
if (file === undefined) process.stdout.write(text)
else writeFileSync(file, text)
