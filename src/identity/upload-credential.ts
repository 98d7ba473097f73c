import type { Credential } from '#kit/auth/auth.ts'
import { shardIn } from '#platform/crypto/ids.ts'
import type { UploadKey } from '#store/sync/uploads.ts'

/** In place of a token: which upload the profile gets. */
const UPLOAD = 'upload'

export function credentialOfUpload({ id }: UploadKey): Credential {
  return { token: '', facts: { [UPLOAD]: id } }
}

/** The upload that a sign-in stored; undefined for every other credential. */
export function uploadOf({ token, facts }: Credential): UploadKey | undefined {
  const id = token === '' ? facts?.[UPLOAD] : undefined
  return id === undefined ? undefined : { shard: shardIn(id), id }
}
