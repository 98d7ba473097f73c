import { demoHealth } from '#connectors/demo-health/connector.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { onePage } from '#kit/endpoints/pages.ts'

const { measures, ...others } = demoHealth.endpoints

/** Without the windows of twelve years, which the limiter of calls makes a matter of minutes. */
export default {
  ...demoHealth,
  docs: 'https://demo-health.test/docs',
  endpoints: { ...others, measures: { ...(measures as Endpoint), pages: onePage() } },
}
