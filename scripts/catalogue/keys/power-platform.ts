import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Category } from '../../../src/kit/connector/catalogue-words.ts'
import { isAuthorization, type KeyFacts, labelOf, usableBase } from './key-facts.ts'
import { baseOf, isPublishedByVendor, type OpenApi, placeOf, proofsIn } from './open-api.ts'

const CATEGORIES: Record<string, Category> = {
  AI: 'data',
  'Business Intelligence': 'data',
  'Business Management': 'business',
  Collaboration: 'work',
  Commerce: 'shops',
  Communication: 'communication',
  'Content and Files': 'files',
  Data: 'data',
  Finance: 'finance',
  'Human Resources': 'business',
  'IT Operations': 'development',
  'Internet of Things': 'data',
  'Lifestyle and Entertainment': 'media',
  Marketing: 'business',
  Productivity: 'work',
  'Sales and CRM': 'business',
  Security: 'development',
  'Social Media': 'people',
  Website: 'development',
}

interface Document extends OpenApi {
  'x-ms-connector-metadata'?: { propertyName?: string; propertyValue?: string }[]
}
interface Properties {
  properties?: {
    publisher?: string
    stackOwner?: string
    policyTemplateInstances?: { templateId?: string }[]
    connectionParameters?: Record<string, { uiDefinition?: { description?: string; tooltip?: string } | null } | null>
  }
}

/**
 * `microsoft/PowerPlatformConnectors` (MIT). What is in `certified-connectors` is published by the owner of the service; the rest is from
 * others. A description whose address is changed by a policy says less than the truth and is not read.
 */
export function readPowerPlatform(folder: string): KeyFacts[] {
  return globSync('*/*/[aA]pi[dD]efinition.swagger.json', { cwd: folder })
    .sort()
    .flatMap((file) => {
      const path = join(folder, file)
      const [beside] = readdirSync(dirname(path)).filter((each) => each.toLowerCase() === 'apiproperties.json')
      const document = read<Document>(path)
      const properties = beside === undefined ? undefined : read<Properties>(join(dirname(path), beside))
      if (document === undefined || properties === undefined) return []
      return factsOf(document, properties, file.startsWith('certified'))
    })
}

function read<Value>(path: string): Value | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')) as Value
  } catch {
    return undefined
  }
}

function factsOf(document: Document, { properties = {} }: Properties, isCertified: boolean): KeyFacts[] {
  const { publisher = '', stackOwner = '', policyTemplateInstances = [] } = properties
  if (
    policyTemplateInstances.some(({ templateId = '' }) =>
      /dynamichosturl|setqueryparameter|routerequest/.test(templateId),
    )
  )
    return []
  const isHeaderSet = policyTemplateInstances.some(({ templateId }) => templateId === 'setheader')
  const base = usableBase(baseOf(document))
  const hint = Object.values(properties.connectionParameters ?? {})
    .map((each) => `${each?.uiDefinition?.description ?? ''} ${each?.uiDefinition?.tooltip ?? ''}`)
    .join(' ')
  const scheme = placeOf(document, hint)
  if (base === undefined || scheme === undefined) return []
  const metadata = (name: string) =>
    document['x-ms-connector-metadata']?.find(({ propertyName }) => propertyName === name)?.propertyValue
  return [
    {
      source: 'power-platform',
      name: labelOf(base),
      title: document.info?.title?.replace(/\s*\((?:Independent Publisher|Preview)\)/gi, ''),
      docs: document.externalDocs?.url ?? metadata('Website'),
      category: metadata('Categories')
        ?.split(';')
        .map((each) => CATEGORIES[each.trim()])
        .find((each) => each !== undefined),
      base,
      place: isHeaderSet && isAuthorization(scheme.place) ? 'unclear' : scheme.place,
      proofs: proofsIn(document, scheme.name, scheme.place),
      isVendors: isCertified && isPublishedByVendor(base, [], [publisher, stackOwner]),
    },
  ]
}
