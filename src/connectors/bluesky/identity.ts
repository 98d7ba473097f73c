interface DidDocument {
  id: string
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
