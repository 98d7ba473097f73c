import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parquetReadObjects } from 'hyparquet'
import { freePort } from '../../../harness/free-port.ts'
import { packagesMissing } from '../../../real/packages.ts'
import { openCuttableProxy } from './cuttable-proxy.ts'
import { applyChanges, type Fixture, readChange, type Target } from './fixture.ts'
import { startS3Server } from './s3-server.ts'

/** The folder that the operator allows in these tests. */
export const allowed = mkdtempSync(join(tmpdir(), 'tributary-files-'))
/** A new folder of the app in it. Creates the allowed folder anew: each test file of a process removes it at its end. */
function makeFolder(prefix: string): string {
  const own = join(allowed, 'app')
  mkdirSync(own, { recursive: true })
  return mkdtempSync(join(own, prefix))
}
const closed = await freePort()

export const folderFixture: Fixture = {
  name: 'files in a folder',
  kind: 'files',
  skip: false,
  fences: true,
  canBeCut: false,
  atomic: false,
  open: () => openFolder('ndjson'),
  wrong: wrongFolders,
}

export const parquetFixture: Fixture = {
  ...folderFixture,
  name: 'files in a folder, Parquet',
  open: () => openFolder('parquet'),
}

async function wrongFolders() {
  const blocked = makeFolder('blocked-')
  writeFileSync(join(blocked, 'file'), '')
  return [{ what: 'a file in the way', url: pathToFileURL(join(blocked, 'file')).href, says: /ENOTDIR|EEXIST/ }]
}

async function openFolder(format: string): Promise<Target> {
  const folder = makeFolder('out-')
  return {
    url: pathToFileURL(folder).href,
    options: { format },
    ...looking(() => objectsIn(folder)),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

export const s3Fixture: Fixture = {
  name: 'files in an S3 store',
  kind: 'files',
  skip: await packagesMissing('core'),
  fences: true,
  canBeCut: true,
  atomic: false,
  open: openS3,
  wrong: async (target) => {
    const [, host] = /@([^/]+)\//.exec(target.url)!
    return [
      {
        what: 'a wrong secret',
        url: target.url.replace('S3RVER:S3RVER', 'S3RVER:letmein7'),
        says: /403 SignatureDoesNotMatch/,
      },
      {
        what: 'a wrong key',
        url: target.url.replace('S3RVER:S3RVER', 'nobody:S3RVER'),
        says: /403 InvalidAccessKeyId/,
      },
      { what: 'a wrong bucket', url: target.url.replace('/bucket/', '/elsewhere/'), says: /404 NoSuchBucket/ },
      { what: 'a closed port', url: target.url.replace(host!, `127.0.0.1:${closed}`), says: /ECONNREFUSED/ },
      { what: 'no TLS at the server', url: target.url.replace('&tls=false', ''), says: /cannot be reached/ },
    ]
  },
}

async function openS3(): Promise<Target> {
  const server = await startS3Server()
  const proxy = await openCuttableProxy({ port: server.port, host: '127.0.0.1' })
  return {
    url: `s3://S3RVER:S3RVER@127.0.0.1:${proxy.port}/bucket/some/pre%20fix?region=eu-central-1&tls=false`,
    ...looking(() => objectsIn(join(server.folder, 'some/pre fix'), '._S3rver_object')),
    cutAfter: proxy.cutAfter,
    wasCut: proxy.wasCut,
    close: async () => {
      await proxy.close()
      await server.close()
    },
  }
}

function looking(objects: () => Promise<Map<string, Buffer>>): Pick<Target, 'read' | 'everything' | 'traces'> {
  return {
    read: async () => {
      const rows = [...(await objects())].filter(([name]) => !name.includes('/_'))
      return applyChanges((await Promise.all(rows.map(([name, body]) => changesIn(name, body)))).flat())
    },
    everything: async () =>
      JSON.stringify(
        [...(await objects())]
          .map(([name, body]) => `${name} ${body.toString('latin1').replace(/"updated_at":\d+/, '')}`)
          .sort(),
      ),
    traces: async () => [...(await objects()).keys()],
  }
}

async function changesIn(name: string, body: Buffer): Promise<Record<string, unknown>[]> {
  if (name.endsWith('.ndjson')) return body.toString().trimEnd().split('\n').map(readChange)
  const rows = await parquetReadObjects({ file: new Uint8Array(body).buffer })
  return rows.map((row) => ({
    ...row,
    types: row['types'] === null ? undefined : (JSON.parse(String(row['types'])) as unknown),
    participants: row['participants'] === null ? undefined : (JSON.parse(String(row['participants'])) as unknown),
  }))
}

async function objectsIn(folder: string, suffix = ''): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith(suffix)) continue
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    found.set(suffix === '' ? name : name.slice(0, -suffix.length), await readFile(path))
  }
  return found
}
