const [ADA, BEN, CLEO] = ['did:plc:ada', 'did:plc:ben', 'did:plc:cleo']

const postOf = (did: string, key: string) => ({ uri: `at://${did}/app.bsky.feed.post/${key}`, cid: 'bafyreipost' })

const image = { $type: 'blob', ref: { $link: 'bafkreione' }, mimeType: 'image/jpeg', size: 9 }

/** Records by endpoint, for services whose real servers need software that a test machine may lack. */
export const SAMPLES: Record<string, [endpoint: string, record: object][]> = {
  files: [
    [
      'events',
      {
        id: 'a@x.test',
        ical: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n',
        event: {
          title: 'Meeting',
          starts: 1_772_359_200_000,
          ends: 1_772_362_800_000,
          organizer: { email: 'a@x.test' },
          attendees: [{ email: 'b@x.test' }],
        },
      },
    ],
    [
      'contacts',
      { id: '#1', vcard: 'BEGIN:VCARD\r\nEND:VCARD\r\n', contact: { name: 'Grace', phones: [{ value: '+1 555' }] } },
    ],
  ],
  carddav: [
    [
      'contacts',
      {
        id: 'family/grace.vcf',
        collection: 'family',
        href: '/ada/family/grace.vcf',
        etag: '"1"',
        vcard: 'BEGIN:VCARD\r\nFN:Grace\r\nEND:VCARD\r\n',
        contact: {
          kind: 'individual',
          name: 'Grace',
          emails: [{ value: 'grace@x.test', types: ['home'] }],
          phones: [{ value: '+1 555' }],
          urls: [{ value: 'https://grace.test/' }],
          addresses: [{ value: 'Arlington' }],
          organization: 'Navy',
          revised: '20260501T100000Z',
        },
      },
    ],
  ],
  caldav: [
    [
      'events',
      {
        id: 'home/party.ics',
        collection: 'home',
        href: '/ada/home/party.ics',
        etag: '"1"',
        ical: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n',
        event: {
          title: 'Party',
          starts: 1_782_900_000_000,
          ends: 1_782_910_800_000,
          location: 'Garden',
          geo: { lat: 52.5, lng: 13.4 },
          organizer: { email: 'ada@x.test', name: 'Ada' },
          attendees: [{ email: 'Grace@x.test', status: 'accepted' }],
        },
      },
    ],
  ],
  wordpress: [
    [
      'posts',
      {
        id: 7,
        date_gmt: '2026-05-01T10:00:00',
        modified_gmt: '2026-05-02T10:00:00',
        status: 'publish',
        link: 'https://blog.test/hello/',
        author: 1,
        title: { rendered: 'Hello &amp; welcome' },
        content: { rendered: '<p>See <a href="https://a.test/?a=1&amp;b=2">this</a></p>' },
        excerpt: { rendered: '<p>See this</p>' },
        _embedded: {
          'wp:featuredmedia': [
            {
              id: 8,
              mime_type: 'image/png',
              source_url: 'https://blog.test/door.png',
              media_details: {
                width: 4,
                height: 3,
                sizes: { medium: { source_url: 'https://blog.test/door-300.png' } },
              },
            },
          ],
        },
      },
    ],
    [
      'media',
      {
        id: 8,
        date_gmt: '2026-05-01T10:00:00',
        status: 'inherit',
        link: 'https://blog.test/door/',
        author: 1,
        title: { rendered: 'A door' },
        caption: { rendered: '<p>Blue</p>' },
        alt_text: 'A blue door',
        mime_type: 'video/mp4',
        source_url: 'https://blog.test/door.mp4',
        media_details: { width: 4, height: 3, filesize: 9 },
      },
    ],
    [
      'replies',
      {
        id: 9,
        post: 7,
        author: 2,
        author_name: 'Ben',
        author_url: 'https://ben.test/',
        author_avatar_urls: { 24: 'https://a.test/24', 96: 'https://a.test/96' },
        date_gmt: '2026-05-01T10:00:00',
        content: { rendered: '<p>Nice</p>' },
        link: 'https://blog.test/hello/#comment-9',
        status: 'approved',
      },
    ],
  ],
  bluesky: [
    [
      'posts',
      {
        ...postOf(ADA, 'own'),
        value: {
          $type: 'app.bsky.feed.post',
          text: '@ben look https://www.instagram.com/p/AbC_1-x/',
          createdAt: '2026-05-01T10:00:00.123Z',
          langs: ['en', 'de'],
          facets: [
            { index: { byteStart: 0, byteEnd: 4 }, features: [{ $type: 'app.bsky.richtext.facet#mention', did: BEN }] },
            {
              index: { byteStart: 5, byteEnd: 9 },
              features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://a.test/' }],
            },
          ],
          reply: { root: postOf(CLEO, 'root'), parent: postOf(BEN, 'parent') },
          embed: {
            $type: 'app.bsky.embed.recordWithMedia',
            record: { record: postOf(CLEO, 'quoted') },
            media: {
              $type: 'app.bsky.embed.images',
              images: [{ alt: 'A door', image, aspectRatio: { width: 4, height: 3 } }],
            },
          },
        },
      },
    ],
    [
      'timeline',
      {
        post: {
          ...postOf(BEN, 'view'),
          author: {
            did: BEN,
            handle: 'ben.test',
            displayName: 'Ben',
            avatar: 'https://cdn.bsky.app/img/avatar/plain/x/y@jpeg',
          },
          record: { $type: 'app.bsky.feed.post', text: 'Hello', createdAt: '2099-01-01T00:00:00Z' },
          embed: {
            $type: 'app.bsky.embed.external#view',
            external: {
              uri: 'https://b.test/',
              title: 'Bridges',
              description: 'How they stand',
              thumb: 'https://cdn.bsky.app/t',
            },
          },
          likeCount: 2,
          indexedAt: '2026-05-02T10:00:00Z',
        },
        reason: {
          $type: 'app.bsky.feed.defs#reasonRepost',
          by: { did: CLEO, handle: 'cleo.test' },
          uri: `at://${CLEO}/app.bsky.feed.repost/again`,
          indexedAt: '2026-05-03T10:00:00Z',
        },
      },
    ],
  ],
}
