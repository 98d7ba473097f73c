import { defineConnector } from '#kit/connector/connector.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { type Collection, collectionsEndpoint, versionOf } from '../collections.ts'
import { type MembersOptions, memberPages, membersIn, prepareList, syncTokens } from '../members.ts'
import { syncCollection, XML_TYPE } from '../request-bodies.ts'
import { davAuth, davRecovery, davSelf } from '../server.ts'
import { readContact } from './contact.ts'
import { type Card, contact } from './kinds.ts'

/** Cards often contain a picture. */
const CARDS: MembersOptions = { report: 'card:addressbook-multiget', data: 'card:address-data', batch: 20 }

/** Any server with CardDAV (RFC 6352), at an address that the person names. */
export const carddav = defineConnector({
  service: 'carddav',
  title: 'CardDAV',
  docs: 'https://www.rfc-editor.org/rfc/rfc6352',
  category: 'communication',
  auth: davAuth({
    wellKnown: 'carddav',
    homeSet: 'card:addressbook-home-set',
    hint: 'For example https://cloud.example/remote.php/dav, https://contacts.icloud.com or https://carddav.fastmail.com.',
  }),
  api: {
    baseUrl: '{server}',
    // Many servers are small machines; none publishes a limit.
    limits: { person: { calls: 120, perS: 60 } },
    recovery: davRecovery,
  },
  self: davSelf,
  endpoints: {
    addressbooks: collectionsEndpoint('addressbook'),
    contacts: endpoint<unknown, Card, Collection>({
      each: 'addressbooks',
      path: '/{parent}/',
      when: 'changed',
      version: versionOf,
      allEvery: '1d',
      method: 'REPORT',
      headers: { depth: '0' },
      body: { text: syncCollection(''), type: XML_TYPE },
      parse: 'xml',
      prepare: prepareList,
      pages: memberPages(CARDS),
      checkpoint: syncTokens,
      items: (body, { parent }) =>
        membersIn(body, parent.id, CARDS, (vcard) => ({ vcard, contact: readContact(vcard) })),
      kind: contact,
      types: ['contacts'],
      every: '1h',
      class: 'core',
      deletes: 'all',
    }),
  },
})
