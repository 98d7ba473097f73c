import { credentialOfUpload } from '#identity/upload-credential.ts'
import type { SignedIn } from '#kit/auth/auth.ts'
import type { UploadKey } from '#store/sync/uploads.ts'
import type { FileTarget } from './file-target.ts'
import type { UploadContent } from './read-upload.ts'

/** Limit: characters of the name of an uploaded file that are kept; the rest is cut off. */
const MAX_NAME_CHARS = 100

/** The result of an upload, in the form of every sign-in. The name of the file is a label; it selects nothing. */
export function signedInByFile(
  { source }: FileTarget,
  upload: UploadKey & { bytes: number },
  fileName: string | undefined,
  { counts, skipped }: Extract<UploadContent, { kind: 'read' }>,
  nowMs: number,
): SignedIn {
  const name = labelOf(fileName)
  const record = { file: name, bytes: upload.bytes, uploaded_at: nowMs, ...counts, skipped }
  return {
    credential: credentialOfUpload(upload),
    self: { id: source, ...(name === undefined ? {} : { name }) },
    raw: JSON.stringify(record),
  }
}

/** The last part of a path, without control characters and marks that change the direction of text. */
function labelOf(fileName: string | undefined): string | undefined {
  const last = fileName?.toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const plain = last
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed()
  return plain === '' ? undefined : plain
}
