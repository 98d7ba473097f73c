export { plain as default } from '../connectors.ts'
