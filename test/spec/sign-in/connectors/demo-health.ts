import { demoHealth } from '#connectors/demo-health/connector.ts'

export default { ...demoHealth, docs: 'https://tributary.test/lab', endpoints: {} }
