import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KeyFacts, labelOf, usableBase } from './key-facts.ts'
import { baseOf, type OpenApi, placeOf, proofsIn } from './open-api.ts'

/** `ballerina-platform/openapi-connectors` (Apache-2.0), each document as JSON; those that come from APIs.guru are no second source. */
export function readBallerina(folder: string): KeyFacts[] {
  return globSync('**/openapi.json', { cwd: folder })
    .sort()
    .flatMap((file) => {
      const document = JSON.parse(readFileSync(join(folder, file), 'utf8')) as OpenApi
      const base = usableBase(baseOf(document))
      const scheme = placeOf(document)
      if (base === undefined || scheme === undefined || document.info?.['x-origin'] !== undefined) return []
      return [
        {
          source: 'ballerina',
          name: labelOf(base),
          title: document.info?.title,
          docs: document.externalDocs?.url ?? document.info?.contact?.url,
          base,
          place: scheme.place,
          proofs: proofsIn(document, scheme.name, scheme.place),
          isVendors: false,
        },
      ]
    })
}
