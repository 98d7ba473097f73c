import type { IdentityDeps } from '#identity/deps.ts'
import type { UploadKey } from '#store/sync/uploads.ts'
import type { UploadContent } from './read-upload.ts'

/** Dependencies of uploads. */
export interface FileDeps extends IdentityDeps {
  /** Reads files in a worker process. */
  tasks: { readUpload: (upload: UploadKey, service: string) => Promise<UploadContent> }
}
