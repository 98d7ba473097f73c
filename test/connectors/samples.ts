const [ADA, BEN, CLEO] = ['did:plc:ada', 'did:plc:ben', 'did:plc:cleo']

const postOf = (did: string, key: string) => ({ uri: `at://${did}/app.bsky.feed.post/${key}`, cid: 'bafyreipost' })

const image = { $type: 'blob', ref: { $link: 'bafkreione' }, mimeType: 'image/jpeg', size: 9 }

/** Records by endpoint, for services whose real servers need software that a test machine may lack. */
export const SAMPLES: Record<string, [endpoint: string, record: object][]> = {
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
