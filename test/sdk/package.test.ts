import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { packagesMissing } from '../real/packages.ts'
import { installPackage, typeErrors, type UserFolder } from './package-folder.ts'
import { type ScriptedServer, startScripted } from './scripted-server.ts'

const run = promisify(execFile)
const runtimes = join(import.meta.dirname, '../real/runtimes/node_modules')
const missing = await packagesMissing('runtimes')
const cpu = process.arch === 'arm64' ? 'arm64' : 'x64'
/** Limit of the issue for the helper of pages, compressed. */
const MAX_HELPER_BYTES = 3 * 1024

/** Uses each part of the SDK: requests, pages, streams, events, the proxy, errors, PKCE and webhooks. */
const PROGRAM = `
const client = createClient({ baseUrl: address, clientId: 'app', clientSecret: 's', retryBaseMs: 1 })
const ada = client.account('t')
const seen = []
for await (const photo of ada.items('photos', { limit: 1 })) seen.push(photo.id)
for await (const photo of ada.stream('photos')) seen.push(photo.id)
for await (const { event } of ada.profiles.follow('github')) seen.push(event)
seen.push(await (await ada.proxy('github')('/user')).text())
try { await client.push.get('x') } catch (error) { seen.push(isTributaryError(error, 'not_found') ? error.reason : String(error)) }
const { url, verifier } = await client.startConnect({ service: 'github', redirect_uri: 'https://a.test/' })
seen.push(verifier.length, new URL(url).searchParams.get('code_challenge').length)
try { await verifyWebhook('{}', { 'webhook-id': 'm', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,AAAA' }, 'whsec_AAAA') } catch (error) { seen.push(error.reason) }
console.log(JSON.stringify(seen))
`
const EXPECTED = ['1', '2', '3', '4', 'done', 'from the service', 'not_found', 43, 43, 'signature_wrong']
const NAMES = 'createClient, isTributaryError, verifyWebhook'

const TYPED = `
import { createClient, isTributaryError, type AnyTributaryError, type PhotoItem } from '@tributary-hub/client'
const client = createClient({ baseUrl: 'https://a.test', clientId: 'app' })
export async function read(): Promise<string | undefined> {
  for await (const photo of client.account('t').items('photos', { limit: 5, map: true, near: [52.5, 13.4] })) {
    const item: PhotoItem = photo
    const width: number | undefined = photo.oembed?.width
    if (width !== undefined) return item.idr
    if (photo.map !== undefined) {
      const { id, name, title, image, author }: { id: string; name: string | null; title: string | null; image: string | null; author: { id: string | null } | null } = photo.map
      if (id === name || title === image) return author?.id ?? undefined
      // @ts-expect-error: a field that no photo has
      photo.map.nope
      // @ts-expect-error: a field of activities
      photo.map.sport
    }
  }
  for await (const track of client.account('t').items('tracks')) return track.map?.artist ?? undefined
  const { state } = await client.push.get('x')
  const known: 'active' | string = state
  // @ts-expect-error: there is no such type of items
  client.account('t').items('pictures')
  // @ts-expect-error: a parameter that does not exist
  client.account('t').items('photos', { limt: 1 })
  // @ts-expect-error: a kind of destination that does not exist
  await client.push.add({ name: 'n', kind: 'fax', url: 'https://a.test' })
  return known
}
export function explain(error: unknown): string {
  if (isTributaryError(error, 'needs_auth', 'service_limited')) {
    // @ts-expect-error: it is one of the two
    if (error.reason === 'not_found') return ''
    return error.reason
  }
  const any = error as AnyTributaryError
  switch (any.reason) {
    case 'not_found':
      return any.reason satisfies 'not_found'
    default:
      return any.message
  }
}
`

suite('the package of the SDK', () => {
  let user: UserFolder
  let server: ScriptedServer
  before(async () => {
    user = await installPackage()
    const json = (response: import('node:http').ServerResponse, text: string, headers = {}) =>
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text)
    server = await startScripted([
      (response, { url = '' }) => {
        if (url === '/types/photos?limit=1')
          return json(response, '[{"id":"1"}]', { link: '<https://x.test/?before=1>; rel="next"' })
        if (url === '/types/photos?before=1') return json(response, '[{"id":"2"}]')
        if (url === '/types/photos') return json(response, '[{"id":"3"},{"id":"4"}]')
        if (url.endsWith('/sync')) return response.writeHead(200).end('event: done\ndata: {}\n\n')
        if (url === '/proxy/github/user') return json(response, 'from the service', { 'x-tributary-retried': 'false' })
        return response.writeHead(404).end('{"error":"Nothing here.","reason":"not_found"}')
      },
    ])
  })
  after(async () => {
    user.remove()
    await server.close()
  })

  test('contains what is built, its README and the licence, and needs no other package', () => {
    const others = user.files.filter((file) => !file.startsWith('dist/'))
    assert.deepEqual(others.toSorted(), ['LICENSE', 'README.md', 'package.json'])
    assert.ok(user.files.every((file) => !file.startsWith('dist/') || /\.(?:js|d\.ts|json)$/.test(file)))
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(user.installed, 'package.json'), 'utf8'),
    ) as Record<string, unknown>
    assert.deepEqual([dependencies, peerDependencies], [undefined, undefined])
    const scripts = user.files.filter((file) => file.endsWith('.js'))
    for (const file of scripts) {
      const text = readFileSync(join(user.installed, file), 'utf8')
      assert.doesNotMatch(text, /(?:from|require\()\s*["'](?!\.)/, `${file} imports a package`)
      assert.doesNotMatch(text, /\b(?:process|Buffer|__dirname)\b/, `${file} uses what only Node has`)
    }
  })

  test(`has a helper for pages of less than ${MAX_HELPER_BYTES} bytes, compressed`, () => {
    const text = readFileSync(join(user.installed, 'dist/esm/browser.js'))
    assert.ok(gzipSync(text, { level: 9 }).length < MAX_HELPER_BYTES)
    assert.doesNotMatch(text.toString(), /^import/m, 'it is one file')
  })

  const modules: [name: string, file: string, options: string[]][] = [
    [
      'a bundler, with DOM types',
      'types.ts',
      ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom', '--types', ''],
    ],
    ['node16, ES modules', 'types.mts', ['--module', 'node16', '--lib', 'es2022', '--types', 'node']],
    ['node16, CommonJS', 'types.cts', ['--module', 'node16', '--lib', 'es2022', '--types', 'node']],
    [
      'nodenext, with skipLibCheck',
      'types.mts',
      ['--module', 'nodenext', '--lib', 'es2022', '--types', 'node', '--skipLibCheck'],
    ],
  ]
  for (const [name, file, options] of modules)
    test(`has types for ${name}`, async () => {
      user.write(file, TYPED)
      assert.equal(await typeErrors(user.folder, [file], options), '')
    })

  const program = (head: string) => `${head}\nconst address = ${JSON.stringify(server.url)};\n`
  const esm = () => user.write('run.mjs', `${program(`import { ${NAMES} } from '@tributary-hub/client'`)}${PROGRAM}`)
  const cjs = () =>
    user.write(
      'run.cjs',
      `${program(`const { ${NAMES} } = require('@tributary-hub/client')`)}(async () => {${PROGRAM}})()`,
    )
  const runs = async (command: string, args: string[]) => {
    const { stdout } = await run(command, args, {
      cwd: user.folder,
      env: { PATH: process.env['PATH'], DENO_NO_UPDATE_CHECK: '1', HOME: user.folder },
    })
    assert.deepEqual(JSON.parse(stdout), EXPECTED)
  }

  const nodes: [version: string, path: string | undefined][] = [
    ['20', join(runtimes, `node-20-${cpu}/bin/node`)],
    ['22', join(runtimes, `node-22-${cpu}/bin/node`)],
    ['24 (this one)', undefined],
  ]
  for (const [version, path] of nodes)
    test(`runs on Node ${version}, as ES module and CommonJS`, {
      skip: path === undefined ? false : absent(path),
    }, async () => {
      const node = path ?? process.execPath
      if (path !== undefined) {
        const { stdout } = await run(node, ['--version'])
        assert.ok(stdout.startsWith(`v${version}.`), stdout)
      }
      await runs(node, [esm()])
      await runs(node, [cjs()])
    })

  const deno = join(runtimes, `@deno/linux-${cpu}-glibc/deno`)
  test('runs on Deno', { skip: absent(deno) }, async () => {
    await runs(deno, ['run', '--allow-net', '--no-prompt', '--node-modules-dir=manual', esm()])
  })

  const bun = join(runtimes, `@oven/bun-linux-${cpu === 'arm64' ? 'aarch64' : 'x64'}/bin/bun`)
  test('runs on Bun, as ES module and CommonJS', { skip: absent(bun) }, async () => {
    await runs(bun, ['run', esm()])
    await runs(bun, ['run', cjs()])
  })

  function absent(path: string): string | false {
    if (missing !== false) return missing
    return existsSync(path) ? false : `npm has no such runtime for this machine (${process.platform} ${process.arch})`
  }
})
