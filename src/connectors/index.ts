import type { Connector } from '#kit/connector.ts'
import { bluesky } from './bluesky/connector.ts'
import { demoHealth } from './demo-health/connector.ts'
import { demoMicro } from './demo-micro/connector.ts'
import { demoSocial } from './demo-social/connector.ts'
import { facebook } from './facebook/connector.ts'
import { foursquare } from './foursquare/connector.ts'
import { github } from './github/connector.ts'
import { instagram } from './instagram/connector.ts'
import { tumblr } from './tumblr/connector.ts'
import { wordpress } from './wordpress/connector.ts'
import { x } from './x/connector.ts'

/** The connectors of this release. */
export const connectors: Connector[] = [
  bluesky,
  demoHealth,
  demoMicro,
  demoSocial,
  facebook,
  foursquare,
  github,
  instagram,
  tumblr,
  wordpress,
  x,
]
