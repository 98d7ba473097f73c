import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Category } from '../../../src/kit/connector/catalogue-words.ts'
import { type KeyFacts, labelOf, usableBase } from './key-facts.ts'
import { baseOf, isPublishedByVendor, type OpenApi, placeOf, proofsIn } from './open-api.ts'

const CATEGORIES: Record<string, Category> = {
  analytics: 'data',
  backend: 'development',
  cloud: 'development',
  collaboration: 'work',
  customer_relation: 'business',
  developer_tools: 'development',
  ecommerce: 'shops',
  education: 'education',
  email: 'communication',
  entertainment: 'media',
  enterprise: 'business',
  financial: 'finance',
  forms: 'business',
  hosting: 'development',
  iot: 'data',
  location: 'travel',
  machine_learning: 'data',
  marketing: 'business',
  media: 'media',
  messaging: 'communication',
  monitoring: 'development',
  open_data: 'data',
  payment: 'finance',
  project_management: 'work',
  security: 'development',
  social: 'people',
  storage: 'files',
  support: 'business',
  telecom: 'communication',
  text: 'writing',
  tools: 'data',
  transport: 'travel',
}

/** `APIs-guru/openapi-directory` (CC0), each document as JSON. */
export function readApisGuru(folder: string): KeyFacts[] {
  return globSync('**/{openapi,swagger}.json', { cwd: folder })
    .sort()
    .flatMap((file) => factsOf(JSON.parse(readFileSync(join(folder, file), 'utf8')) as OpenApi))
}

function factsOf(document: OpenApi): KeyFacts[] {
  const { info = {}, externalDocs } = document
  const base = usableBase(baseOf(document))
  const scheme = placeOf(document)
  if (base === undefined || scheme === undefined) return []
  const origins = (info['x-origin'] ?? []).map(({ url = '' }) => url)
  return [
    {
      source: 'apis-guru',
      name: info['x-serviceName'] === undefined ? labelOf(base) : `${labelOf(base)}-${info['x-serviceName']}`,
      title: info.title,
      docs: externalDocs?.url ?? info.contact?.url,
      category: info['x-apisguru-categories']?.map((each) => CATEGORIES[each]).find((each) => each !== undefined),
      base,
      place: scheme.place,
      proofs: proofsIn(document, scheme.name, scheme.place),
      isVendors: isPublishedByVendor(base, origins, []),
    },
  ]
}
