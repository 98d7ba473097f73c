import type { HandleResolution } from '#kit/auth/auth.ts'

interface DidDocument {
  id: string
  alsoKnownAs?: unknown
  service?: { id?: string; type?: string; serviceEndpoint?: unknown }[]
}

/** URL of the DID document: at the PLC directory, or at the domain of a `did:web`. */
export function didDocumentUrl(did: string): string {
  const [, method, name = ''] = /^did:(plc|web):([a-zA-Z0-9.%-]+)$/.exec(did) ?? []
  if (method === 'plc') return `https://plc.directory/${did}`
  if (method === 'web') return `https://${name}/.well-known/did.json`
  throw new RangeError('Unsupported DID method')
}

/** The personal data server (PDS) of a DID document. */
export function personalDataServer(document: unknown, did: string): string | undefined {
  const { id: subject, service: services = [] } = document as DidDocument
  if (subject !== did) return undefined
  const server = services.find(({ id, type }) => id?.endsWith('#atproto_pds') && type === 'AtprotoPersonalDataServer')
  return typeof server?.serviceEndpoint === 'string' ? server.serviceEndpoint : undefined
}

/** How a handle leads to a DID and back: https://atproto.com/specs/handle. */
export const handles: HandleResolution = {
  record: (handle) => `_atproto.${handle}`,
  fromRecord: (texts) => {
    const dids = new Set(
      texts.filter((text) => text.startsWith('did=')).map((text) => text.slice('did='.length).trim()),
    )
    // Several different ones name nobody.
    return dids.size === 1 ? [...dids][0] : undefined
  },
  document: (handle) => `https://${handle}/.well-known/atproto-did`,
  isNamed: (document, handle) => {
    const { alsoKnownAs } = document as DidDocument
    // Only the first name counts, as everywhere in the network.
    const first = Array.isArray(alsoKnownAs)
      ? alsoKnownAs.find((name) => typeof name === 'string' && name.startsWith('at://'))
      : undefined
    return typeof first === 'string' && first.toLowerCase() === `at://${handle}`
  },
}
