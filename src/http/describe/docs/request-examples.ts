import type { ShownOperation } from './reference.ts'

/** The address of an operation with example values. */
function addressOf(baseUrl: string, { path, parameters }: ShownOperation): string {
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce((address, { name, example }) => address.replace(`{${name}}`, segment(example ?? name)), path)
  const query = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example ?? name))}`)
  return `${baseUrl}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

/** The path of the proxy contains slashes, and names of profiles an `@`. */
function segment(value: string | number | boolean): string {
  return encodeURIComponent(String(value)).replaceAll('%2F', '/').replaceAll('%40', '@')
}

export function curlExample(baseUrl: string, operation: ShownOperation): string {
  const { method, caller, body } = operation
  const isJson = body !== undefined
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${addressOf(baseUrl, operation)}'`,
    ...(caller === 'app' ? ["-u 'CLIENT_ID:CLIENT_SECRET'"] : []),
    ...(caller === 'token' ? ["-H 'authorization: Bearer ACCESS_TOKEN'"] : []),
    ...(caller === 'admin' ? ["-H 'authorization: Bearer ADMIN_TOKEN'"] : []),
    ...(isJson ? ["-H 'content-type: application/json'", `-d '${quoted(JSON.stringify(body.example ?? {}))}'`] : []),
  ].join(' \\\n  ')
}

/** Inside single quotes of a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", String.raw`'\''`)
}

const AUTHORIZATION = {
  app: "authorization: 'Basic ' + btoa('CLIENT_ID:CLIENT_SECRET')",
  token: "authorization: 'Bearer ACCESS_TOKEN'",
  admin: "authorization: 'Bearer ADMIN_TOKEN'",
}

export function javascriptExample(baseUrl: string, operation: ShownOperation): string {
  const { method, caller, body } = operation
  const headers = [
    ...(caller === undefined ? [] : [AUTHORIZATION[caller]]),
    ...(body === undefined ? [] : ["'content-type': 'application/json'"]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body.example ?? {})}),`]),
  ]
  const address = `'${addressOf(baseUrl, operation)}'`
  return options.length === 0
    ? `const response = await fetch(${address})`
    : `const response = await fetch(${address}, {\n${options.join('\n')}\n})`
}
