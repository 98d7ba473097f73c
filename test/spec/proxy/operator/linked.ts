export { linked as default } from '../connectors.ts'
