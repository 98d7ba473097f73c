/** What is sent, in cases that are decided where HTTP is read and written, by name. */
export const CASES: Record<string, string> = {
  'a path parameter': get('/echo/word?a=1&b=x%20y+z&c&d='),
  'an encoded slash in a parameter': get('/echo/a%2Fb%2fc'),
  'encoded characters in a parameter': get('/echo/%C3%A9%3F%23%25%3A'),
  'a percent sign that is encoded twice': get('/echo/%252F'),
  'an escape that is cut off': get('/echo/a%2'),
  'an escape with other letters than hexadecimal ones': get('/echo/a%zz'),
  'an escape in another encoding than UTF-8': get('/echo/%C3%28'),
  'a bad escape where no route is': get('/nothing/%zz'),
  'a bad escape in the query': get('/echo/a?b=%zz&c=%C3%28&%zz=d'),
  'a name twice in the query': get('/echo/a?b=1&b=2&b=3'),
  'names of prototypes in the query': get('/echo/a?__proto__=1&constructor=2'),
  'a fragment in the path': get('/echo/a#b?c=d'),
  'a semicolon in the path': get('/echo/a;b=c'),
  'an empty parameter': get('/echo/'),
  'a slash at the end': get('/echo/a/'),
  'two slashes': get('//echo/a'),
  'dots in the path': get('/echo/../echo/a'),
  'another case in the path': get('/Echo/a'),
  'a parameter of 2,000 characters': get(`/echo/${'a'.repeat(2000)}`),
  'a parameter of 2,001 characters': get(`/echo/${'a'.repeat(2001)}`),
  'a parameter that is too long for a browser': get(`/echo/${'a'.repeat(2001)}`, 'Accept: text/html'),
  'a path of 15 KB': get(`/${'a/'.repeat(7500)}`),
  'a path of 16 KB': get(`/${'a/'.repeat(8192)}`),
  'an address with a host': get('http://other.test/echo/a?b=c'),
  'an address with a host and the old prefix': get('http://other.test/v0/echo/a'),
  'an address that is none': get('echo/a'),
  'the prefix': get('/v0/echo/a?b=c'),
  'the prefix alone': get('/v0'),
  'the prefix with a query': get('/v0?a=b'),
  'the prefix as a part of a word': get('/v0echo/a'),
  'no path but an asterisk': 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',

  'HEAD of an object': head('/return/list'),
  'HEAD of a stream': head('/stream'),
  'HEAD of an error': head('/fails'),
  'HEAD where nothing is': head('/nothing'),
  'HEAD of a route without it': head('/post'),
  'OPTIONS with a body': withBody('OPTIONS', '/post', 'application/json', '{}'),
  'OPTIONS with a broken body': withBody('OPTIONS', '/post', 'application/json', '{'),
  TRACE: method('TRACE', '/echo/a'),
  CONNECT: method('CONNECT', 'x:1'),
  'a method of WebDAV': method('PROPFIND', '/echo/a'),
  'a method that is none': method('FOO', '/echo/a'),
  'another method where nothing is': method('PUT', '/nothing'),
  'an upgrade': get('/echo/a', 'Upgrade: websocket', 'Connection: upgrade, close'),

  'GET with a body': withBody('GET', '/echo/a', 'application/json', '{"a":1}'),
  'GET with a broken body': withBody('GET', '/echo/a', 'application/json', '{'),
  'DELETE without a body': method('DELETE', '/echo/a'),
  'DELETE with a body': withBody('DELETE', '/echo/a', 'application/json', '{"a":1}'),
  'DELETE with a content type and no body': method('DELETE', '/echo/a', 'Content-Type: application/json'),
  'DELETE with a body of no type': withBody('DELETE', '/echo/a', undefined, 'abc'),
  'POST without a body': method('POST', '/post'),
  'POST with a length of 0': withBody('POST', '/post', undefined, ''),
  'POST with a length of 0 and a type': withBody('POST', '/post', 'application/json', ''),
  'POST with a body of no type': withBody('POST', '/post', undefined, '{}'),
  'POST in chunks': chunked('/post', ['{"a":"\u00c3', '\u00a9"}']),
  'POST in chunks without any': chunked('/post', []),
  'POST in chunks of no type': chunked('/post', ['{}'], ''),
  'POST in a chunk without a size':
    method('POST', '/post', 'Content-Type: application/json', 'Transfer-Encoding: chunked') + 'zz\r\n{}\r\n0\r\n\r\n',
  'POST in two codings':
    method('POST', '/post', 'Content-Type: application/json', 'Transfer-Encoding: gzip, chunked') +
    '2\r\n{}\r\n0\r\n\r\n',
  'a body for an address that does not exist': withBody('POST', '/nothing', 'application/json', '{}'),
  'a body of broken JSON for an address that does not exist': withBody('POST', '/nothing', 'application/json', '{'),
  'a body of another type for an address that does not exist': withBody('POST', '/nothing', 'image/png', 'x'),
  'a type that is none for an address that does not exist': withBody('POST', '/nothing', 'image', 'x'),
  'a body for a method that is not allowed': withBody('PUT', '/post', 'application/json', '{}'),

  'two lengths': method('POST', '/post', 'Content-Length: 2', 'Content-Length: 3') + '{}',
  'one length twice':
    method('POST', '/post', 'Content-Type: application/json', 'Content-Length: 2', 'Content-Length: 2') + '{}',
  'a length with a letter': method('POST', '/post', 'Content-Length: 1x') + '{}',
  'a length beside chunks':
    method('POST', '/post', 'Content-Length: 2', 'Transfer-Encoding: chunked') + '2\r\n{}\r\n0\r\n\r\n',
  'a length that is too short': withBody('POST', '/post', 'application/json', '{}', 1),
  'a length of more than a megabyte': method(
    'POST',
    '/post',
    'Content-Type: application/json',
    'Content-Length: 1048577',
  ),
  'a length of more than a megabyte where nothing is': method(
    'POST',
    '/nothing',
    'Content-Type: application/json',
    'Content-Length: 1048577',
  ),
  'a body of a megabyte': withBody('POST', '/raw', 'text/plain', 'a'.repeat(1_048_576)),
  'a body in chunks of more than a megabyte': chunked(
    '/raw',
    [...Array.from({ length: 16 }, () => 'a'.repeat(65_536)), 'a'],
    'text/plain',
  ),
  'a client that waits for 100': withBody('POST', '/post', 'application/json', '{}', undefined, 'Expect: 100-continue'),
  'a client that waits for 100 with too much': method(
    'POST',
    '/post',
    'Content-Type: application/json',
    'Content-Length: 1048577',
    'Expect: 100-continue',
  ),
  'a client that expects something else': withBody('POST', '/post', 'application/json', '{}', undefined, 'Expect: tea'),

  'a type with a parameter': withBody('POST', '/post', 'application/json; charset=utf-8', '{"a":1}'),
  'a type in capitals': withBody('POST', '/post', 'APPLICATION/JSON', '{"a":1}'),
  'a type with an empty parameter': withBody('POST', '/post', 'application/json ;', '{"a":1}'),
  'a type with a parameter that is none': withBody('POST', '/post', 'application/json; =', '{"a":1}'),
  'a type that only begins like JSON': withBody('POST', '/post', 'application/jsonx', '{"a":1}'),
  'a type with a suffix': withBody('POST', '/post', 'application/a+json', '{"a":1}'),
  'two types': withBody('POST', '/post', 'application/json, text/plain', '{"a":1}'),
  'an empty type': withBody('POST', '/post', '', '{"a":1}'),
  'a type without a slash': withBody('POST', '/post', 'json', '{"a":1}'),
  'a type with two slashes': withBody('POST', '/post', 'application/json/x', '{"a":1}'),
  'a text': withBody('POST', '/post', 'text/plain', '{"a":1}'),
  'a text for a route of text': withBody('POST', '/raw', 'text/plain; charset=latin1', 'Ã©'),
  'JSON for a route of text': withBody('POST', '/raw', 'application/json', '{'),
  'a form': withBody('POST', '/post', 'application/x-www-form-urlencoded', 'a=1&a=2&b=x+y%20z&c'),
  'a form with a charset': withBody('POST', '/post', 'application/x-www-form-urlencoded; charset=UTF-8', 'a=%C3%A9'),
  'a form with names of prototypes': withBody(
    'POST',
    '/post',
    'application/x-www-form-urlencoded',
    '__proto__=1&constructor=2',
  ),
  'a form for a route of text': withBody('POST', '/raw', 'application/x-www-form-urlencoded', 'a=1'),
  'an empty form': withBody('POST', '/post', 'application/x-www-form-urlencoded', ''),
  'a form with files': withBody('POST', '/post', 'multipart/form-data; boundary=x', '--x--'),

  'JSON with a byte order mark': withBody('POST', '/post', 'application/json', '\u00ef\u00bb\u00bf{"a":1}'),
  'JSON in another encoding than UTF-8': withBody('POST', '/post', 'application/json', '{"a":"\u00ff"}'),
  'JSON that is only space': withBody('POST', '/post', 'application/json', ' '),
  'JSON that ends early': withBody('POST', '/post', 'application/json', '{"a":'),
  'JSON that is a text': withBody('POST', '/post', 'application/json', '"__proto__"'),
  'JSON with __proto__': withBody('POST', '/post', 'application/json', '{"__proto__":{"a":1}}'),
  'JSON with __proto__ inside': withBody('POST', '/post', 'application/json', '{"a":[{"b":{"__proto__":1}}]}'),
  'JSON with __proto__ in escapes': withBody('POST', '/post', 'application/json', '{"\\u005f_pr\\u006Fto__":1}'),
  'JSON with __proto__ as a value': withBody(
    'POST',
    '/post',
    'application/json',
    '{"a":"__proto__","b":"\\"__proto__\\":1"}',
  ),
  'JSON with a constructor': withBody('POST', '/post', 'application/json', '{"constructor":{"a":1}}'),
  'JSON with the prototype of a constructor': withBody(
    'POST',
    '/post',
    'application/json',
    '{"a":{"constructor":{"prototype":{}}}}',
  ),
  'JSON with the prototype of a constructor in escapes': withBody(
    'POST',
    '/post',
    'application/json',
    '{"\\u0063onstructor":{"prototyp\\u0065":1}}',
  ),
  'JSON with a constructor that is a list': withBody(
    'POST',
    '/post',
    'application/json',
    '{"constructor":["prototype"]}',
  ),
  'JSON with a constructor that is null': withBody(
    'POST',
    '/post',
    'application/json',
    '{"constructor":null,"prototype":1}',
  ),

  'a route that returns nothing': get('/return/nothing'),
  'a route that returns null': get('/return/null'),
  'a route that returns a text': get('/return/text'),
  'a route that returns an empty text': get('/return/empty'),
  'a route that returns a number': get('/return/number'),
  'a route that returns false': get('/return/false'),
  'a route that returns a list': get('/return/list'),
  'a route that returns bytes': get('/return/bytes'),
  'a route of JSON that returns nothing': get('/return/nothing-typed'),
  'a route of JSON that returns null': get('/return/null-typed'),
  'a route of JSON that returns a text': get('/return/text-typed'),
  'a route of JSON that returns a list': get('/return/list-typed'),
  'a route of JSON that returns bytes': get('/return/bytes-typed'),
  'a body with 204': get('/status/no-content'),
  'a body with 304': get('/status/not-modified'),
  'no body with 201': get('/status/created'),
  'two responses to one request': get('/twice'),
  'two cookies': get('/cookies'),
  'a stream': get('/stream'),
  'a stream without a type': get('/stream-without-type'),
  'a stream to a client of HTTP/1.0': 'GET /stream HTTP/1.0\r\n\r\n',
  'an object to a client of HTTP/1.0': 'GET /return/list HTTP/1.0\r\n\r\n',
  'a request without a host': 'GET /return/list HTTP/1.1\r\nConnection: close\r\n\r\n',
  'a stream that fails at once': get('/stream-fails-first'),
  'a stream that fails after its first bytes': get('/stream-fails-later'),
  'a route that fails': get('/fails'),
  'a route that fails, for a browser': get('/fails', 'Accept: text/html'),
  'an address that does not exist, for a browser': get('/nothing', 'Accept: text/html'),
  'a route that fails after its headers': get('/fails-after-head'),
  'a route that fails after it sent the response itself': get('/fails-hijacked'),
  'three requests at once':
    'GET /return/list HTTP/1.1\r\nHost: x\r\n\r\nHEAD /return/list HTTP/1.1\r\nHost: x\r\n\r\n' + get('/return/text'),
  'a body that nobody reads before another request':
    withBody('GET', '/return/text', 'text/plain', 'unread').replace('Connection: close\r\n', '') + get('/return/list'),
  'a refused type before another request':
    withBody('POST', '/post', 'image/png', 'unread').replace('Connection: close\r\n', '') + get('/return/list'),
  'a body of broken JSON before another request':
    withBody('POST', '/post', 'application/json', '{').replace('Connection: close\r\n', '') + get('/return/list'),
}

function method(name: string, path: string, ...headers: string[]): string {
  const lines = [`${name} ${path} HTTP/1.1`, 'Host: x', ...headers]
  if (!headers.some((each) => each.startsWith('Connection:'))) lines.push('Connection: close')
  return `${lines.join('\r\n')}\r\n\r\n`
}

function get(path: string, ...headers: string[]): string {
  return method('GET', path, ...headers)
}

function head(path: string): string {
  return method('HEAD', path)
}

/** The text is sent as latin1: one character is one byte. */
function withBody(
  name: string,
  path: string,
  type: string | undefined,
  text: string,
  length = text.length,
  ...headers: string[]
): string {
  const types = type === undefined ? [] : [`Content-Type: ${type}`]
  return `${method(name, path, ...types, `Content-Length: ${length}`, ...headers)}${text}`
}

function chunked(path: string, chunks: string[], type = 'application/json'): string {
  const types = type === '' ? [] : [`Content-Type: ${type}`]
  const parts = [...chunks, ''].map((each) => `${each.length.toString(16)}\r\n${each}\r\n`)
  return method('POST', path, ...types, 'Transfer-Encoding: chunked') + parts.join('')
}
