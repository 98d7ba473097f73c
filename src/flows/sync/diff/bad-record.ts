import { storableText } from '#platform/formats/storable-text.ts'
import type { BadRecord } from '#store/sync/quarantine.ts'
import { type LosslessJson, stringifyLossless } from '#upstream/body/lossless-json.ts'
import { contentHash, hashRecord } from './record-hash.ts'

/** Limit: characters of a quarantined record that are stored; a longer one can only be read again at the service. */
const MAX_SAMPLE = 16_000

/** A record to quarantine. `itemId` is the item that it is a version of. */
export function badRecord(raw: unknown, reason: string, itemId?: string): BadRecord {
  const text = textOf(raw)
  if (text === undefined)
    return { id: contentHash(hashRecord(0, reason)), itemId, reason, sample: '(cannot be written)', isWhole: false }
  const sample = storableText(text.slice(0, MAX_SAMPLE))
  return { id: contentHash(hashRecord(0, text)), itemId, reason, sample, isWhole: sample === text }
}

function textOf(raw: unknown): string | undefined {
  try {
    return stringifyLossless(raw as LosslessJson)
  } catch {
    // Quarantined without a sample.
    return undefined
  }
}
