/** Node’s HTTP module. An `import` of it reads every export, also `WebSocket`, which loads another HTTP client: 3 MB. */
export const nodeHttp = process.getBuiltinModule('node:http')
