import { demoSocial } from '#connectors/demo-social/connector.ts'

export default { ...demoSocial, docs: 'https://tributary.test/lab', endpoints: {} }
