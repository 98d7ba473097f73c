import { twitch } from '#connectors/twitch/connector.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { onePage } from '#kit/endpoints/pages.ts'

const { clips, ...others } = twitch.endpoints

/** Without the windows of ten years, which the limiter of calls makes slow. */
export default { ...twitch, endpoints: { ...others, clips: { ...(clips as Endpoint), pages: onePage() } } }
