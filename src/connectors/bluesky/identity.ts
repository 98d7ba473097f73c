interface DidDocument {
  id: string
  service?: { id?: string; type?: string; serviceEndpoint?: unknown }[]
}

/** Where the public document of a DID stands: the PLC directory, or the domain that the DID names. */
export function didDocumentUrl(did: string): string {
  const [, method, name = ''] = /^did:(plc|web):([a-zA-Z0-9.%-]+)$/.exec(did) ?? []
  if (method === 'plc') return `https://plc.directory/${did}`
  if (method === 'web') return `https://${name}/.well-known/did.json`
  throw new RangeError('Not a DID that this network uses')
}

/** The server that holds the person's data, as the document says. */
export function personalDataServer(document: unknown, did: string): string | undefined {
  const { id: subject, service: services = [] } = document as DidDocument
  if (subject !== did) return undefined
  const server = services.find(({ id, type }) => id?.endsWith('#atproto_pds') && type === 'AtprotoPersonalDataServer')
  return typeof server?.serviceEndpoint === 'string' ? server.serviceEndpoint : undefined
}
