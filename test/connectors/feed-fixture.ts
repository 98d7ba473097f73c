import { feed } from '#connectors/feed/connector.ts'
import { verifyCredential } from '#upstream/sign-in.ts'
import { credentialOfTyped } from '#upstream/typed/credential.ts'
import { openUpstream } from '../harness/upstream.ts'
import { rss, rssItem, startFeedSite } from './feed-site.ts'
import type { Fixture } from './fixture.ts'

const KEY = { key: '', secret: '', overrides: {} }

/** A podcast of two pages, found through a web page. */
export async function openFeedFixture(): Promise<Fixture> {
  const opened = openUpstream()
  const site = await startFeedSite()
  const close = async () => {
    await opened.close()
    await site.close()
  }
  try {
    const enclosure =
      '<enclosure url="https://cdn.test/1.mp3" type="audio/mpeg" length="9"/><itunes:duration>1:02</itunes:duration>'
    const next = `<atom:link rel="next" href="${site.url}/feed?page=2"/>`
    site.serve('/', { type: 'text/html', body: '<link rel="alternate" type="application/rss+xml" href="feed?page=1">' })
    site.serve('/feed?page=1', {
      body: rss(rssItem('a', enclosure) + rssItem('b', '<georss:point>52.5 13.4</georss:point>'), next),
    })
    site.serve('/feed?page=2', { body: rss(rssItem('c', '<dc:creator>Ben</dc:creator>')) })
    const { upstream } = opened
    const credential = await credentialOfTyped(upstream, {
      connector: feed,
      key: KEY,
      values: { feed: `${site.url}/` },
    })
    const { self } = await verifyCredential(upstream, { connector: feed, key: KEY, credential })
    const caller = { upstream, connector: feed, key: KEY, credential }
    return { caller, self, authorizeUrl: site.url, nowMs: () => upstream.clock.now(), close }
  } catch (error) {
    await close()
    throw error
  }
}
