import { secret } from '../../base/random.ts'
import { text } from '../../base/reply.ts'
import { type LabRequest, mediaType } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { SharedFile, SlackData } from './data.ts'

export type Uploads = ReturnType<typeof createUploads>

interface Pending extends SharedFile {
  size: number
  bytes?: Buffer
}

/** Files on their way: an address is asked for, the bytes are sent to it without a token, then they are shared. */
export function createUploads({ url, clock }: ServiceContext, data: SlackData) {
  const pending = new Map<string, Pending>()
  const addresses = new Map<string, Pending>()
  let sequence = 0

  const receive = async (request: LabRequest, { key = '' }: Record<string, string>) => {
    const file = addresses.get(key)
    if (file === undefined) return text(404, 'Not found')
    const bytes = await bytesOf(request)
    if (bytes.length !== file.size) return text(400, `Expected ${file.size} bytes`)
    file.bytes = bytes
    return text(200, `OK - ${bytes.length}`)
  }

  return {
    routes: { 'POST /upload/v1/:key': receive } as Routes,
    /** The address that is good for one file. */
    begin(user: string, name: string, size: number): { upload_url: string; file_id: string } {
      const id = `F0NEW${(sequence += 1)}`
      const key = secret()
      const file = { id, user, name, size, created: Math.floor(clock.now() / 1000) }
      pending.set(id, file)
      addresses.set(key, file)
      return { upload_url: `${url()}/upload/v1/${key}`, file_id: id }
    },
    /** Files of this person whose bytes have arrived; undefined if one is not. */
    complete(user: string, files: { id: string; title?: string }[]): SharedFile[] | undefined {
      const found = files.map(({ id }) => pending.get(id))
      if (found.some((file) => file?.user !== user || file.bytes === undefined)) return undefined
      return files.flatMap(({ id, title }) => {
        const file = pending.get(id)
        if (file === undefined) return []
        pending.delete(id)
        const { bytes: _, ...shared } = file
        const done = { ...shared, ...(title === undefined ? {} : { title }) }
        data.files.unshift(done)
        return [done]
      })
    },
  }
}

/** The whole body, or the file of a form. */
async function bytesOf(request: LabRequest): Promise<Buffer> {
  if (mediaType(request) !== 'multipart/form-data') return request.body
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const fields = await new Response(new Uint8Array(request.body), { headers }).formData()
  const file = [...fields.values()].find((value) => typeof value !== 'string')
  return file === undefined ? Buffer.alloc(0) : Buffer.from(await file.arrayBuffer())
}
