import { self } from '#kit/auth/self.ts'
import { noAuth } from '#kit/auth/typed.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { untilKnown } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { feedLinkIn } from './discover.ts'
import { changeOfEntry, entryKind } from './entry-kind.ts'
import { isXml, nextPages, recordsIn, sourceOf } from './protocol.ts'
import type { FeedBody, FeedRecord } from './shapes.ts'

const ACCEPT =
  'application/feed+json, application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, text/html;q=0.5, */*;q=0.1'
/** Entries that a feed adds late or edits are read again on the next page too. */
const OVERLAP_MS = 7 * 86_400_000

/** RSS, Atom and JSON Feed at any address. The profile is the feed itself. */
export const feed = defineConnector({
  service: 'feed',
  title: 'Feed',
  docs: 'https://www.rfc-editor.org/rfc/rfc4287',
  category: 'media',
  aliases: ['rss', 'atom', 'jsonfeed'],
  auth: noAuth({
    fields: {
      feed: {
        title: 'Feed or web page',
        format: 'url',
        hint: 'RSS, Atom or JSON Feed, for example blog.example or blog.example/feed.xml',
        pattern: /.{1,2000}/,
      },
    },
    id: ({ feed: address = '' }) => address,
    discover: { field: 'feed', from: ({ text, url }) => (isXml(text) ? undefined : feedLinkIn(text, url)) },
  }),
  api: {
    baseUrl: '{feed}',
    links: ['next_url'],
    limits: { person: { calls: 60, perS: 3600 }, service: { calls: 60, perS: 60 } },
    // The address is gone for good: nobody calls it again until somebody connects it anew.
    recovery: ({ status }) => (status === 410 ? 'reauthorize' : undefined),
  },
  self: self<FeedBody | string>({ path: '', headers: { accept: ACCEPT }, read: sourceOf }),
  endpoints: {
    entries: endpoint<FeedBody, FeedRecord>({
      path: '',
      headers: { accept: ACCEPT },
      parse: 'xml_or_json',
      items: recordsIn,
      kind: entryKind,
      types: ['news', 'statuses', 'photos', 'videos', 'tracks'],
      pages: nextPages(),
      // Entries without a time count as old, so that the archive is not read again each time.
      checkpoint: untilKnown<FeedRecord>({ value: (record) => changeOfEntry(record) ?? 0, overlap: OVERLAP_MS }),
      every: '1h',
      class: 'personal',
    }),
  },
})
