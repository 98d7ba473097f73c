import { token } from '#kit/endpoints/checkpoint.ts'
import { type Endpoint, endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import { kind } from '#kit/read/kind.ts'
import { webAddress } from './addresses.ts'
import { PEOPLE_HOST } from './hosts.ts'
import { CONTACTS, OTHER_CONTACTS } from './scopes.ts'

interface Field {
  metadata?: { primary?: boolean }
  value?: string
}

interface Contact {
  resourceName: string
  metadata?: { deleted?: boolean }
  names?: (Field & { displayName?: string })[]
  nicknames?: Field[]
  emailAddresses?: Field[]
  phoneNumbers?: (Field & { canonicalForm?: string })[]
  photos?: (Field & { url?: string; default?: boolean })[]
  urls?: Field[]
  organizations?: (Field & { name?: string; title?: string })[]
  addresses?: (Field & { formattedValue?: string })[]
  biographies?: Field[]
}

interface Page {
  connections?: Contact[]
  otherContacts?: Contact[]
  nextPageToken?: string
  nextSyncToken?: string
}

/** A field may have several values; the service marks the one that the person prefers. */
function preferred<Value extends Field>(values: Value[] | undefined): Value | undefined {
  return values?.find((value) => value?.metadata?.primary === true) ?? values?.[0]
}

const emailOf = ({ emailAddresses }: Contact) => preferred(emailAddresses)?.value?.toLowerCase()

const contact = kind<Contact>({
  name: 'contact',
  id: ({ resourceName }) => resourceName,
  deleted: ({ metadata }) => metadata?.deleted === true,
  map: {
    // People in mail and events are named by their address.
    id: (one) => emailOf(one) ?? one.resourceName,
    name: ({ names }) => preferred(names)?.displayName,
    nickname: ({ nicknames }) => preferred(nicknames)?.value,
    text: ({ biographies }) => preferred(biographies)?.value,
    email: emailOf,
    phone: ({ phoneNumbers }) => preferred(phoneNumbers)?.canonicalForm ?? preferred(phoneNumbers)?.value,
    photo: ({ photos }) => webAddress(photos?.find((photo) => photo?.default !== true)?.url),
    url: ({ urls }) => webAddress(preferred(urls)?.value),
    urls: ({ urls }) => urls?.map((url) => webAddress(url?.value)).filter((url) => url !== undefined),
  },
  card: {
    work: ({ organizations }) => preferred(organizations)?.name,
    location: ({ addresses }) => preferred(addresses)?.formattedValue,
  },
})

const common = {
  host: PEOPLE_HOST,
  kind: contact,
  types: ['contacts' as const],
  pages: cursorPages({
    param: 'pageToken',
    from: ({ nextPageToken }: Page) => nextPageToken,
    size: { param: 'pageSize', value: 500 },
  }),
  checkpoint: token({ param: 'syncToken', from: ({ nextSyncToken }: Page) => nextSyncToken }),
  // A sync token ends seven days after the list that it began with.
  wholeEvery: '6d',
  class: 'core' as const,
  deletes: 'all' as const,
}

/** Lists are left out where they are empty. All parameters must be the same in each request of a sync token. */
export const contacts: Record<string, Endpoint> = {
  contacts: endpoint<Page, Contact>({
    ...common,
    path: '/v1/people/me/connections',
    query: {
      personFields:
        'names,nicknames,emailAddresses,phoneNumbers,photos,urls,organizations,addresses,birthdays,biographies,events,relations,memberships,metadata',
      requestSyncToken: 'true',
    },
    items: ({ connections }) => connections ?? [],
    every: '6h',
    scope: [CONTACTS],
  }),
  // People whom the person wrote to, without an entry in the address book.
  other_contacts: endpoint<Page, Contact>({
    ...common,
    path: '/v1/otherContacts',
    query: { readMask: 'names,emailAddresses,phoneNumbers,photos,metadata', requestSyncToken: 'true' },
    items: ({ otherContacts }) => otherContacts ?? [],
    every: '1d',
    scope: [OTHER_CONTACTS],
  }),
}
