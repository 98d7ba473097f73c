import { json, Refusal, type Reply } from '../../base/reply.ts'
import { type LabRequest, mediaType } from '../../base/request.ts'
import type { LabMedia } from './data.ts'
import { presentMedia } from './present.ts'

const IMAGES = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/avif']
const FILMS = ['video/webm', 'video/mp4', 'video/quicktime']

export interface Upload {
  owner: string
  media: LabMedia & { upload: { id: string; type: string } }
  bytes: Buffer
  /** Films and animations are processed after the response. */
  isReady: boolean
  /** A picture belongs to one status. */
  isAttached: boolean
}

export type Uploads = ReturnType<typeof createUploads>

const invalid = (text: string): Refusal => new Refusal(json(422, { error: `Validation failed: ${text}` }))

/** Files that people send before the status that shows them. */
export function createUploads(url: () => string, nextId: () => string) {
  const uploads = new Map<string, Upload>()
  const own = (owner: string, id: string): Upload => {
    const upload = uploads.get(id)
    if (upload?.owner !== owner) throw new Refusal(json(404, { error: 'Record not found' }))
    return upload
  }
  const shown = ({ media, isReady }: Upload) => {
    const record = presentMedia(url(), media, media.upload.id)
    return isReady ? record : { ...record, url: null }
  }
  return {
    async create(owner: string, request: LabRequest): Promise<Reply> {
      const { bytes, type, description } = await fileOf(request)
      const isImage = IMAGES.includes(type)
      const kind = isImage ? 'image' : type === 'image/gif' ? 'gifv' : 'video'
      if (!isImage && type !== 'image/gif' && !FILMS.includes(type))
        throw invalid('File content type is invalid, File is invalid')
      const media = { type: kind, ...sizeOf(bytes), hue: 0, description, upload: { id: nextId(), type } } as const
      const upload = { owner, media, bytes, isReady: isImage, isAttached: false }
      uploads.set(media.upload.id, upload)
      return json(isImage ? 200 : 202, shown(upload))
    },
    /** The first look finds it in progress, the second finds it processed. */
    look(owner: string, id: string): Reply {
      const upload = own(owner, id)
      if (upload.isAttached) throw new Refusal(json(404, { error: 'Record not found' }))
      const reply = json(upload.isReady ? 200 : 206, shown(upload))
      upload.isReady = true
      return reply
    },
    /** The files of a new status. */
    attach(owner: string, ids: string[]): LabMedia[] {
      if (ids.length > 4) throw invalid('Cannot attach more than 4 files')
      const chosen = ids.map((id) => uploads.get(id))
      const missing = ids.filter((_, at) => chosen[at]?.owner !== owner || chosen[at].isAttached)
      if (missing.length > 0) throw invalid(`Media ${missing.join(', ')} not found or already attached to another post`)
      const found = chosen.filter((each) => each !== undefined)
      if (found.some(({ isReady }) => !isReady))
        throw invalid('Cannot attach files that have not finished processing. Try again in a moment!')
      for (const upload of found) upload.isAttached = true
      return found.map(({ media }) => media)
    },
    file(id: string): Reply {
      const upload = uploads.get(id)
      if (upload === undefined) return json(404, { error: 'Record not found' })
      return { status: 200, headers: { 'content-type': upload.media.upload.type }, body: upload.bytes }
    },
  }
}

async function fileOf(request: LabRequest): Promise<{ bytes: Buffer; type: string; description: string | null }> {
  if (mediaType(request) !== 'multipart/form-data') throw invalid("File can't be blank")
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const fields = await new Response(new Uint8Array(request.body), { headers }).formData()
  const file = fields.get('file')
  if (file === null || typeof file === 'string') throw invalid("File can't be blank")
  const description = fields.get('description')
  return {
    bytes: Buffer.from(await file.arrayBuffer()),
    type: file.type,
    description: typeof description === 'string' ? description : null,
  }
}

/** Of a PNG, from its header. */
function sizeOf(bytes: Buffer): { width: number; height: number } {
  const isPng = bytes.length >= 24 && bytes.toString('latin1', 1, 4) === 'PNG'
  return isPng ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : { width: 640, height: 480 }
}
