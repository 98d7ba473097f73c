import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { until } from '../../../harness/until.ts'
import { loadCorePackage } from '../../../real/packages.ts'

interface S3rver {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

interface Aws4 {
  sign(request: object, keys: object): { headers: { Authorization: string } }
}

/** A store with one bucket. s3rver accepts any signature, so another implementation verifies each first. */
export async function startS3Server(): Promise<{ port: number; folder: string; close: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-s3-'))
  const { default: Server } = await loadCorePackage<{ default: new (options: object) => S3rver }>('s3rver')
  const { default: aws4 } = await loadCorePackage<{ default: Aws4 }>('aws4')
  const buckets = [{ name: 'bucket', configs: [] }]
  const store = new Server({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: buckets,
  })
  const { port: storePort } = await store.run()
  // One after the other: s3rver fails with concurrent deletes.
  let last: Promise<unknown> = Promise.resolve()
  const front = createServer((incoming, response) => {
    // After a connection is closed in the middle of an upload, nothing of it may be stored.
    buffer(incoming).then(
      (body) => {
        if (!isSigned(aws4, incoming, body))
          return response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
        last = last.then(() => forward(incoming, body, { port: storePort, folder }, response))
        return last
      },
      () => response.destroy(),
    )
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  return {
    port: (front.address() as { port: number }).port,
    folder: join(folder, 'bucket'),
    close: async () => {
      front.close()
      front.closeAllConnections()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isSigned(aws4: Aws4, { method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const { authorization = '' } = headers
  const [, region = '', names = ''] =
    /Credential=[^/]+\/\d+\/([^/]+)\/s3.*SignedHeaders=([^,]+)/.exec(authorization) ?? []
  const signed = Object.fromEntries(names.split(';').map((name) => [name, headers[name]]))
  if (signed['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex')) return false
  const keys = { accessKeyId: /Credential=([^/]+)/.exec(authorization)?.[1], secretAccessKey: 'S3RVER' }
  const own = aws4.sign({ method, path: url, headers: signed, service: 's3', region }, keys)
  return own.headers.Authorization === authorization
}

/** s3rver responds when it has read an object, not when it has stored it; a real store never returns half an object. */
async function isWhole(folder: string, url: string, bytes: number): Promise<void> {
  const path = `${folder}${decodeURIComponent(url.split('?', 1)[0]!)}._S3rver_object`
  const isPresent = () => statSync(path, { throwIfNoEntry: false })?.size === bytes
  // A concurrent write of the same object may have another size.
  await until(`${path} is whole`, isPresent, Boolean, 5000).catch(() => {})
}

async function forward(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  { port, folder }: { port: number; folder: string },
  response: ServerResponse,
): Promise<void> {
  try {
    const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers }).end(body)
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
    const responseBody = await buffer(reply)
    if (method === 'PUT' && reply.statusCode === 200) await isWhole(folder, url!, body.length)
    response.writeHead(reply.statusCode!, reply.headers).end(responseBody)
  } catch {
    response.destroy()
  }
}
