import { demoMicro } from '#connectors/demo-micro/connector.ts'

export default { ...demoMicro, docs: 'https://tributary.test/lab', endpoints: {} }
