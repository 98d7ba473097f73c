import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { type NamedPackage, namedPackages, nameOf } from './harness/source/named-packages.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const FOLDERS = '{.ci,bench,deploy,docs,examples,lab,migrations,scripts,sdk,src,test,web}/**'
const files = globSync([FOLDERS, '*', '.*'], {
  cwd: root,
  exclude: ['**/node_modules', '.git', 'sdk/dist', 'web/dist*'],
  withFileTypes: true,
})
  .filter((file) => file.isFile() && !/\.(?:png|tgz)$/.test(file.name))
  .map((file) => join(file.parentPath, file.name).slice(root.length + 1))
const locks = files.filter((file) => file.endsWith('package-lock.json'))
/** This file names what is refused. */
const texts = files.filter((file) => !locks.includes(file) && file !== 'test/package-names.test.ts')
const locked = new Set(
  locks.flatMap((file) =>
    Object.keys((JSON.parse(read(file)) as { packages: object }).packages).map(
      (path) => path.split('node_modules/').at(-1)!,
    ),
  ),
)
/** The packages of this repository that somebody else installs. */
const own = ['package.json', 'sdk/package.json'].map((file) => JSON.parse(read(file)) as Record<string, string>)
/** A file, a folder, a variable, a placeholder, or a download from the reader's own server. */
const FILE = /^(?:[.~/$<]|file:|https?:\/\/(?:localhost|(?:[\w-]+\.)*example(?:\.com)?)[:/])|^[^@/:]+\.tgz$/

const isRefused = ({ spec, isLocal }: NamedPackage) =>
  !FILE.test(spec) && !locked.has(nameOf(spec)) && !(isLocal && spec === 'tributary')
const refused = (text: string) =>
  namedPackages(text)
    .filter(isRefused)
    .map(({ spec }) => spec)

suite('S96 names of packages', () => {
  test('no text installs or runs a package from a registry that is not in a lock file', () => {
    const wrong = texts.flatMap((file) =>
      namedPackages(read(file))
        .filter(isRefused)
        .map(({ spec, command }) => `${file}: ${spec} (${command})`),
    )
    assert.deepEqual(wrong, [])
  })

  test('no package depends on one that is not in a lock file', () => {
    const wrong = texts
      .filter((file) => file.endsWith('package.json'))
      .flatMap((file) => {
        const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(
          read(file),
        ) as Record<string, Record<string, string>>
        return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies })
          .filter(([name, version]) => !locked.has(name) && !FILE.test(version))
          .map(([name, version]) => `${file}: ${name}@${version}`)
      })
    assert.deepEqual(wrong, [])
  })

  test('our packages have a scope; their files have the names that npm gives them', () => {
    const packed = own.map(({ name, version }) => {
      assert.match(name!, /^@tributary-hub\/[a-z]+$/)
      return `${name!.slice(1).replace('/', '-')}-${version}.tgz`
    })
    const named = texts.flatMap((file) => read(file).match(/(?<![\w-])tributary-(?:[a-z]+-)*\d[\w.]*\.tgz/g) ?? [])
    assert.ok(named.length > 0)
    assert.deepEqual([...new Set(named)].toSorted(), packed.toSorted())
  })

  test('nothing imports a name that is not ours, except that the loader still accepts one', () => {
    const wrong = texts.filter((file) => /['"`]tributary\/kit|@tributary\/|node_modules\/tributary\b/.test(read(file)))
    assert.deepEqual(wrong.toSorted(), [
      'CHANGELOG.md',
      'docs/connectors.md',
      'src/boot/kit-package.test.ts',
      'src/boot/kit-package.ts',
    ])
  })

  test('no text installs us from a registry of another language', () => {
    const other =
      /\b(?:pip3?|pipx|uvx?|poetry|gem|cargo|brew)\s(?:[^\n`;|&]*\s)?(?:install|add|run)\s[^\n`;|&]*tributary/
    assert.deepEqual(
      texts.filter((file) => other.test(read(file))),
      [],
    )
  })

  const CASES: [text: string, refused: string[]][] = [
    ['npm install tributary', ['tributary']],
    ['npm i --save-dev --prefix /opt/tributary tributary', ['tributary']],
    ['npm --prefix=/opt/tributary install -g tributary@1.1.0', ['tributary@1.1.0']],
    ['Run `npm add @tributary-hub/client@latest`, then go on.', ['@tributary-hub/client@latest']],
    ['npm install \\\n  --no-save \\\n  @tributary-hub/server', ['@tributary-hub/server']],
    ['# npm install \\\n#   tributary', ['tributary']],
    ['npm install express nobody-has-this "pg" \'nor-this\' && node server.js', ['nobody-has-this', 'nor-this']],
    ["help: 'If it is missing: npm install tributary\\nor ask', other: 'words'", ['tributary']],
    ['<code>npm install tributary</code>', ['tributary']],
    ['npm install somebody/tributary github:somebody/x', ['somebody/tributary', 'github:somebody/x']],
    ['npm install https://somebody.dev/tributary.tgz', ['https://somebody.dev/tributary.tgz']],
    ['npx tributary demo', ['tributary']],
    ['npx --yes @tributary-hub/server@0.1.0 express', ['@tributary-hub/server@0.1.0']],
    ['npx -p tributary -- tributary demo; npm exec --package=tributary -c demo', ['tributary', 'tributary']],
    ['npm exec tributary && npm x -- tributary', ['tributary', 'tributary']],
    [
      'npm init nobody; npm create @nobody@2; npm create @nobody/app',
      ['create-nobody', '@nobody/create', '@nobody/create-app'],
    ],
    ['pnpm dlx tributary; pnpm --dir x add tributary', ['tributary', 'tributary']],
    ['yarn add tributary | yarn global add tributary || yarn dlx tributary', ['tributary', 'tributary', 'tributary']],
    ['bunx tributary; bun add tributary; bun x tributary', ['tributary', 'tributary', 'tributary']],
    ['deno add npm:tributary@1', ['npm:tributary@1', 'tributary']],
    ["import 'npm:@tributary-hub/client@0.1.0/browser'", ['@tributary-hub/client']],
    ['<script src="https://unpkg.com/tributary/index.js">', ['tributary']],
    ["spawn('npx', ['--yes', 'tributary', 'demo'])", ['tributary']],
    ['{ "command": "npx", "args": ["-y", "tributary"] }', ['tributary']],
    ['CMD ["npm", "exec", "tributary"]', ['tributary']],
    // What is allowed.
    ['npm install && npm ci && npm init -y && npm run package && npm test', []],
    ['npm install --no-save express@5 pg', []],
    ['npm install ./tributary-hub-client-0.1.0.tgz ../x tributary-hub-server-VERSION.tgz "$FILE"', []],
    ['npm install http://localhost:8042/client.tgz https://tributary.example.com/client.tgz', []],
    ['npx --no-install tributary demo; npm exec --no -- tributary; npx --no tributary', []],
    ['npx --no-install nobody-has-this', ['nobody-has-this']],
    ["run('npm', ['pack', build, '--pack-destination', folder])", []],
    ['`npm install` with the lock file, `npm uninstall tributary`, `npm view tributary`', []],
  ]
  for (const [text, expected] of CASES) test(`finds in: ${text}`, () => assert.deepEqual(refused(text), expected))
})
