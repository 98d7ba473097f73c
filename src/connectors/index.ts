import type { Connector } from '#kit/connector/connector.ts'
import { bluesky } from './bluesky/connector.ts'
import { caldav } from './dav/caldav/connector.ts'
import { carddav } from './dav/carddav/connector.ts'
import { files } from './dav/files/connector.ts'
import { demoHealth } from './demo-health/connector.ts'
import { demoMicro } from './demo-micro/connector.ts'
import { demoSocial } from './demo-social/connector.ts'
import { dropbox } from './dropbox/connector.ts'
import { facebook } from './facebook/connector.ts'
import { feed } from './feed/connector.ts'
import { flickr } from './flickr/connector.ts'
import { foursquare } from './foursquare/connector.ts'
import { github } from './github/connector.ts'
import { google } from './google/connector.ts'
import { instagram } from './instagram/connector.ts'
import { mastodon } from './mastodon/connector.ts'
import { oura } from './oura/connector.ts'
import { slack } from './slack/connector.ts'
import { spotify } from './spotify/connector.ts'
import { strava } from './strava/connector.ts'
import { tumblr } from './tumblr/connector.ts'
import { twitch } from './twitch/connector.ts'
import { withings } from './withings/connector.ts'
import { wordpress } from './wordpress/connector.ts'
import { x } from './x/connector.ts'

/** The connectors of this release. */
export const connectors: Connector[] = [
  bluesky,
  caldav,
  carddav,
  demoHealth,
  demoMicro,
  demoSocial,
  dropbox,
  facebook,
  feed,
  files,
  flickr,
  foursquare,
  github,
  google,
  instagram,
  oura,
  slack,
  strava,
  spotify,
  mastodon,
  tumblr,
  twitch,
  withings,
  wordpress,
  x,
]
