import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBrowser } from '../../lab/browser.ts'
import { childEnv } from '../harness/child-env.ts'
import { freshDatabase } from '../harness/database/database.ts'
import { freePort } from '../harness/free-port.ts'
import { type LabHarness, MANY_ITEMS, startLabHarness } from '../harness/lab.ts'
import { LOOPBACK } from '../harness/loopback.ts'
import { PROGRAM } from '../harness/program.ts'
import type { Granted } from '../harness/sign-in.ts'
import { openDatabaseProxy } from '../spec/push/kinds/cuttable-proxy.ts'

const root = join(import.meta.dirname, '../..')
const BACK = 'http://localhost:3000/back'

/** A running server, and a folder with what a reader of the documentation has installed. */
export interface Reader {
  harness: LabHarness
  /** Contains `node_modules` with the built SDK; the folders of readers are in it. */
  folder: string
  stop: () => Promise<void>
}

/** Where one page, or one example, is tried out. */
export interface Desk {
  folder: string
  env: Record<string, string>
  /** The addresses of the pages, and those of this test. */
  addresses: Record<string, string>
  port: number
  remove: () => Promise<void>
}

export async function startReader(packages: string[] = []): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-reader-'))
  const sdk = join(folder, 'node_modules/@tributary-hub/client')
  const bin = join(folder, 'bin')
  for (const each of [sdk, bin, join(folder, 'node_modules/@types')]) mkdirSync(each, { recursive: true })
  execFileSync(process.execPath, [join(root, 'sdk/scripts/build.mjs'), sdk])
  for (const name of ['@types/node', '@types/pg', 'pg', 'undici-types', ...packages])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  symlinkSync(root, join(folder, 'node_modules/@tributary-hub/server'))
  const harness = await startLabHarness({}, {}, { maxActivity: MANY_ITEMS })
  const program = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text} "$@"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const { databaseUrl, dataDir, url } = harness.tributary
  const settings = `DATABASE_URL='${databaseUrl}' TRIBUTARY_DATA='${dataDir}' BASE_URL='${url}' TRIBUTARY_ALLOW_PRIVATE='${LOOPBACK}'`
  program('node', `exec '${process.execPath}'`)
  program('tributary', `${settings} exec '${process.execPath}' '${PROGRAM}'`)
  program('xdg-open', `exec '${process.execPath}' '${join(import.meta.dirname, 'visit.ts')}'`)
  // A response with an error fails its block; a server that a block started may not listen yet.
  writeFileSync(join(folder, '.curlrc'), 'silent\nshow-error\nfail-with-body\nretry-connrefused\nretry = 8\n')
  return {
    harness,
    folder,
    stop: async () => {
      await harness.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A folder for one page, with an app of its own, a person who is signed in (unless `isBare`), and an empty database. */
export async function prepareDesk(reader: Reader, name: string, isBare = false): Promise<Desk> {
  const { harness } = reader
  const { tributary } = harness
  const port = await freePort()
  const redirect = BACK.replace('3000', String(port))
  const app = await harness.makeApp({ name, redirectUris: [redirect] })
  const folder = join(reader.folder, 'desks', name)
  mkdirSync(join(folder, 'data'), { recursive: true })
  const credentials = { clientId: app.clientId, secret: app.secret }
  writeFileSync(join(folder, 'data/demo-app.json'), JSON.stringify(credentials))
  writeFileSync(join(folder, 'data/admin-token'), tributary.adminToken)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  const database = await freshDatabase()
  const proxy = await openDatabaseProxy(database.url)
  const env: Record<string, string> = {
    // Halves the start of each command.
    NODE_COMPILE_CACHE: join(reader.folder, 'compile-cache'),
    ...childEnv,
    PATH: `${join(reader.folder, 'bin')}:${childEnv['PATH'] ?? ''}`,
    CURL_HOME: reader.folder,
    DATABASE_URL: proxy.url,
    PORT: String(port),
  }
  if (!isBare) {
    const { access_token: token, account } = await signInTo(reader, app, redirect)
    await untilSynced(tributary.url, token)
    Object.assign(env, {
      TRIBUTARY_URL: tributary.url,
      CLIENT_ID: app.clientId,
      CLIENT_SECRET: app.secret,
      TOKEN: token,
      ACCOUNT: account,
    })
  }
  return {
    folder,
    env,
    port,
    addresses: { 'http://localhost:8042': tributary.url, '3000': String(port) },
    remove: async () => {
      await proxy.close()
      await database.drop()
    },
  }
}

async function signInTo(
  { harness }: Reader,
  app: { clientId: string; secret: string },
  redirect: string,
): Promise<Granted> {
  const browser = createBrowser({ stopAt: (url) => url.startsWith(redirect) })
  const page = await browser.walk(harness.startUrl('demo-social', { redirect_uri: redirect }, app), { person: 'ada' })
  const response = await fetch(`${harness.tributary.url}/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: app.clientId,
      client_secret: app.secret,
      code: new URL(page.url).searchParams.get('code') ?? '',
    }),
  })
  if (response.status !== 200) throw new Error(await response.text())
  return (await response.json()) as Granted
}

/** The stream of the progress ends when the first sync is done. */
async function untilSynced(url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const response = await fetch(`${url}/profiles/demo-social/sync`, { headers })
  const text = await response.text()
  if (!text.includes('event: done')) throw new Error(`the sync did not finish: ${text.slice(-300)}`)
}
