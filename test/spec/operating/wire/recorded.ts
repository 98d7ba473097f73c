/** What the server sent back in each case. */
export const RECORDED: Record<string, string> = {
  'a path parameter':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 171 · Date · Connection: close\n{"word":"word","query":{"a":"1","b":"x y z","c":"","d":""},"body":"none","url":"/echo/word?a=1&b=x%20y+z&c&d=","original":"/echo/word?a=1&b=x%20y+z&c&d=","ip":"127.0.0.1"}',
  'an encoded slash in a parameter':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 111 · Date · Connection: close\n{"word":"a/b/c","query":{},"body":"none","url":"/echo/a%2Fb%2fc","original":"/echo/a%2Fb%2fc","ip":"127.0.0.1"}',
  'encoded characters in a parameter':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 130 · Date · Connection: close\n{"word":"é?#%:","query":{},"body":"none","url":"/echo/%C3%A9%3F%23%25%3A","original":"/echo/%C3%A9%3F%23%25%3A","ip":"127.0.0.1"}',
  'a percent sign that is encoded twice':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 101 · Date · Connection: close\n{"word":"%2F","query":{},"body":"none","url":"/echo/%252F","original":"/echo/%252F","ip":"127.0.0.1"}',
  'an escape that is cut off':
    '400 Bad Request · (usual) · (JSON) · content-length: 170 · Date · Connection: close\n40001 bad_request: The request cannot be understood.',
  'an escape with other letters than hexadecimal ones':
    '400 Bad Request · (usual) · (JSON) · content-length: 170 · Date · Connection: close\n40001 bad_request: The request cannot be understood.',
  'an escape in another encoding than UTF-8':
    '400 Bad Request · (usual) · (JSON) · content-length: 170 · Date · Connection: close\n40001 bad_request: The request cannot be understood.',
  'a bad escape where no route is':
    '400 Bad Request · (usual) · (JSON) · content-length: 170 · Date · Connection: close\n40001 bad_request: The request cannot be understood.',
  'a bad escape in the query':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 165 · Date · Connection: close\n{"word":"a","query":{"b":"%zz","c":"%C3%28","%zz":"d"},"body":"none","url":"/echo/a?b=%zz&c=%C3%28&%zz=d","original":"/echo/a?b=%zz&c=%C3%28&%zz=d","ip":"127.0.0.1"}',
  'a name twice in the query':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 132 · Date · Connection: close\n{"word":"a","query":{"b":["1","2","3"]},"body":"none","url":"/echo/a?b=1&b=2&b=3","original":"/echo/a?b=1&b=2&b=3","ip":"127.0.0.1"}',
  'names of prototypes in the query':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 176 · Date · Connection: close\n{"word":"a","query":{"__proto__":"1","constructor":"2"},"body":"none","url":"/echo/a?__proto__=1&constructor=2","original":"/echo/a?__proto__=1&constructor=2","ip":"127.0.0.1"}',
  'a fragment in the path':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 112 · Date · Connection: close\n{"word":"a","query":{"b?c":"d"},"body":"none","url":"/echo/a#b?c=d","original":"/echo/a#b?c=d","ip":"127.0.0.1"}',
  'a semicolon in the path':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 103 · Date · Connection: close\n{"word":"a;b=c","query":{},"body":"none","url":"/echo/a;b=c","original":"/echo/a;b=c","ip":"127.0.0.1"}',
  'an empty parameter':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 88 · Date · Connection: close\n{"word":"","query":{},"body":"none","url":"/echo/","original":"/echo/","ip":"127.0.0.1"}',
  'a slash at the end':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'two slashes':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'dots in the path':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'another case in the path':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'a parameter of 2,000 characters':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 6088 · Date · Connection: close\n{"word":"a…","query":{},"body":"none","url":"/echo/a…","original":"/echo/a…","ip":"127.0.0.1"}',
  'a parameter of 2,001 characters':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'a parameter that is too long for a browser':
    "404 Not Found · x-request-id: ID · cache-control: no-store · x-content-type-options: nosniff · x-frame-options: DENY · referrer-policy: no-referrer · content-security-policy: default-src 'none'; style-src 'sha256-+RdyE1OpNkpBX9i7PWN+AbSHrH32W2MVpbUCZ0IlQ0w='; img-src 'self'; form-action *; base-uri 'none'; frame-ancestors 'none' · content-type: text/html; charset=utf-8 · content-language: en · vary: Accept-Language · content-length: 7275 · Date · Connection: close\n(a page)",
  'a path of 15 KB':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'a path of 16 KB':
    '431 Request Header Fields Too Large · (unread) · (JSON) · content-length: 191 · connection: close\n43101 headers_too_large: The headers are larger than this server accepts.',
  'an address with a host':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 140 · Date · Connection: close\n{"word":"a","query":{"b":"c"},"body":"none","url":"http://other.test/echo/a?b=c","original":"http://other.test/echo/a?b=c","ip":"127.0.0.1"}',
  'an address with a host and the old prefix':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'an address that is none':
    '400 Bad Request · (unread) · (JSON) · content-length: 164 · connection: close\n40001 bad_request: The request cannot be understood.',
  'the prefix':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 109 · Date · Connection: close\n{"word":"a","query":{"b":"c"},"body":"none","url":"/echo/a?b=c","original":"/v0/echo/a?b=c","ip":"127.0.0.1"}',
  'the prefix alone':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'the prefix with a query':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'the prefix as a part of a word':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'no path but an asterisk':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'HEAD of an object': '200 OK · (usual) · (any origin) · (JSON) · content-length: 8 · Date · Connection: close',
  'HEAD of a stream': '200 OK · (usual) · (any origin) · content-type: text/plain · Date · Connection: close',
  'HEAD of an error':
    '500 Internal Server Error · (usual) · (any origin) · x-before: kept · (JSON) · content-length: 205 · Date · Connection: close',
  'HEAD where nothing is': '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close',
  'HEAD of a route without it':
    '405 Method Not Allowed · (usual) · allow: POST, OPTIONS · (JSON) · content-length: 190 · Date · Connection: close',
  'OPTIONS with a body':
    '204 No Content · (usual) · allow: POST, OPTIONS · access-control-allow-origin: * · access-control-allow-methods: POST, OPTIONS · access-control-allow-headers: *, authorization · access-control-max-age: 86400 · Date · Connection: close',
  'OPTIONS with a broken body':
    '400 Bad Request · (usual) · connection: close · (JSON) · content-length: 227 · Date\n40003 bad_body: The body is not JSON: line 1, column 2: the text ends where a name in double quotes is expected.',
  TRACE:
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  CONNECT: '',
  'a method of WebDAV':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'a method that is none':
    '400 Bad Request · (unread) · (JSON) · content-length: 164 · connection: close\n40001 bad_request: The request cannot be understood.',
  'another method where nothing is':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'an upgrade':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 91 · Date · Connection: close\n{"word":"a","query":{},"body":"none","url":"/echo/a","original":"/echo/a","ip":"127.0.0.1"}',
  'GET with a body':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 91 · Date · Connection: close\n{"word":"a","query":{},"body":"none","url":"/echo/a","original":"/echo/a","ip":"127.0.0.1"}',
  'GET with a broken body':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 91 · Date · Connection: close\n{"word":"a","query":{},"body":"none","url":"/echo/a","original":"/echo/a","ip":"127.0.0.1"}',
  'DELETE without a body':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 91 · Date · Connection: close\n{"word":"a","query":{},"body":"none","url":"/echo/a","original":"/echo/a","ip":"127.0.0.1"}',
  'DELETE with a body':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 92 · Date · Connection: close\n{"word":"a","query":{},"body":{"a":1},"url":"/echo/a","original":"/echo/a","ip":"127.0.0.1"}',
  'DELETE with a content type and no body':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 91 · Date · Connection: close\n{"word":"a","query":{},"body":"none","url":"/echo/a","original":"/echo/a","ip":"127.0.0.1"}',
  'DELETE with a body of no type':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'POST without a body': '200 OK · (usual) · (any origin) · (JSON) · content-length: 2 · Date · Connection: close\n{}',
  'POST with a length of 0':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 2 · Date · Connection: close\n{}',
  'POST with a length of 0 and a type':
    '400 Bad Request · (usual) · (any origin) · connection: close · (JSON) · content-length: 184 · Date\n40003 bad_body: The body is empty, although its content type is JSON.',
  'POST with a body of no type':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'POST in chunks':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 10 · Date · Connection: close\n{"a":"é"}',
  'POST in chunks without any':
    '400 Bad Request · (usual) · (any origin) · connection: close · (JSON) · content-length: 184 · Date\n40003 bad_body: The body is empty, although its content type is JSON.',
  'POST in chunks of no type':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'POST in a chunk without a size':
    '400 Bad Request · (unread) · (JSON) · content-length: 164 · connection: close\n40001 bad_request: The request cannot be understood.',
  'POST in two codings': '200 OK · (usual) · (any origin) · (JSON) · content-length: 2 · Date · Connection: close\n{}',
  'a body for an address that does not exist':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'a body of broken JSON for an address that does not exist':
    '400 Bad Request · (usual) · connection: close · (JSON) · content-length: 227 · Date\n40003 bad_body: The body is not JSON: line 1, column 2: the text ends where a name in double quotes is expected.',
  'a body of another type for an address that does not exist':
    '404 Not Found · (usual) · (JSON) · content-length: 166 · Date · Connection: close\n40404 not_found: There is nothing at this address.',
  'a type that is none for an address that does not exist':
    '415 Unsupported Media Type · (usual) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'a body for a method that is not allowed':
    '405 Method Not Allowed · (usual) · allow: POST, OPTIONS · (JSON) · content-length: 190 · Date · Connection: close\n40501 method_not_allowed: This address does not take this method.',
  'two lengths':
    '400 Bad Request · (unread) · (JSON) · content-length: 164 · connection: close\n40001 bad_request: The request cannot be understood.',
  'one length twice':
    '400 Bad Request · (unread) · (JSON) · content-length: 164 · connection: close\n40001 bad_request: The request cannot be understood.',
  'a length with a letter':
    '400 Bad Request · (unread) · (JSON) · content-length: 164 · connection: close\n40001 bad_request: The request cannot be understood.',
  'a length beside chunks':
    '400 Bad Request · (unread) · (JSON) · content-length: 164 · connection: close\n40001 bad_request: The request cannot be understood.',
  'a length that is too short':
    '400 Bad Request · (unread) · (JSON) · content-length: 164 · connection: close\n40001 bad_request: The request cannot be understood.',
  'a length of more than a megabyte':
    '413 Payload Too Large · (usual) · (any origin) · connection: close · (JSON) · content-length: 188 · Date\n41301 body_too_large: The body is larger than this address accepts.',
  'a length of more than a megabyte where nothing is':
    '413 Payload Too Large · (usual) · connection: close · (JSON) · content-length: 188 · Date\n41301 body_too_large: The body is larger than this address accepts.',
  'a body of a megabyte':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 1048580 · Date · Connection: close\n["a…"]',
  'a body in chunks of more than a megabyte':
    '413 Payload Too Large · (usual) · (any origin) · connection: close · (JSON) · content-length: 188 · Date\n41301 body_too_large: The body is larger than this address accepts.',
  'a client that waits for 100':
    '100 Continue\n200 OK · (usual) · (any origin) · (JSON) · content-length: 2 · Date · Connection: close\n{}',
  'a client that waits for 100 with too much':
    '100 Continue\n413 Payload Too Large · (usual) · (any origin) · connection: close · (JSON) · content-length: 188 · Date\n41301 body_too_large: The body is larger than this address accepts.',
  'a client that expects something else':
    '417 Expectation Failed · Date · Connection: close · Transfer-Encoding: chunked\n0⏎⏎',
  'a type with a parameter':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 7 · Date · Connection: close\n{"a":1}',
  'a type in capitals':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 7 · Date · Connection: close\n{"a":1}',
  'a type with an empty parameter':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 7 · Date · Connection: close\n{"a":1}',
  'a type with a parameter that is none':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 7 · Date · Connection: close\n{"a":1}',
  'a type that only begins like JSON':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'a type with a suffix':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'two types':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'an empty type':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'a type without a slash':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'a type with two slashes':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'a text':
    '415 Unsupported Media Type · (usual) · (any origin) · connection: close · (JSON) · content-length: 206 · Date\n41501 media_type_unsupported: This address does not accept this content type.',
  'a text for a route of text':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 6 · Date · Connection: close\n["é"]',
  'JSON for a route of text':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 5 · Date · Connection: close\n["{"]',
  'a form':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 34 · Date · Connection: close\n{"a":["1","2"],"b":"x y z","c":""}',
  'a form with a charset':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 10 · Date · Connection: close\n{"a":"é"}',
  'a form with names of prototypes':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 19 · Date · Connection: close\n{"constructor":"2"}',
  'a form for a route of text':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 7 · Date · Connection: close\n["a=1"]',
  'an empty form': '200 OK · (usual) · (any origin) · (JSON) · content-length: 2 · Date · Connection: close\n{}',
  'a form with files':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: close\n41501 media_type_unsupported: This address does not accept this content type.',
  'JSON with a byte order mark':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 7 · Date · Connection: close\n{"a":1}',
  'JSON in another encoding than UTF-8':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 11 · Date · Connection: close\n{"a":"�"}',
  'JSON that is only space':
    '400 Bad Request · (usual) · (any origin) · connection: close · (JSON) · content-length: 211 · Date\n40003 bad_body: The body is not JSON: line 1, column 2: the text ends where a value is expected.',
  'JSON that ends early':
    '400 Bad Request · (usual) · (any origin) · connection: close · (JSON) · content-length: 211 · Date\n40003 bad_body: The body is not JSON: line 1, column 6: the text ends where a value is expected.',
  'JSON that is a text':
    '400 Bad Request · (usual) · (any origin) · (JSON) · content-length: 171 · Date · Connection: close\n40003 bad_body: the body: must be an object, not a text.',
  'JSON with __proto__':
    '400 Bad Request · (usual) · (any origin) · connection: close · (JSON) · content-length: 219 · Date\n40003 bad_body: The body has a field named “__proto__”, or “constructor” with a “prototype”.',
  'JSON with __proto__ inside':
    '400 Bad Request · (usual) · (any origin) · connection: close · (JSON) · content-length: 219 · Date\n40003 bad_body: The body has a field named “__proto__”, or “constructor” with a “prototype”.',
  'JSON with __proto__ in escapes':
    '400 Bad Request · (usual) · (any origin) · connection: close · (JSON) · content-length: 219 · Date\n40003 bad_body: The body has a field named “__proto__”, or “constructor” with a “prototype”.',
  'JSON with __proto__ as a value':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 39 · Date · Connection: close\n{"a":"__proto__","b":"\\"__proto__\\":1"}',
  'JSON with a constructor':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 23 · Date · Connection: close\n{"constructor":{"a":1}}',
  'JSON with the prototype of a constructor':
    '400 Bad Request · (usual) · (any origin) · connection: close · (JSON) · content-length: 219 · Date\n40003 bad_body: The body has a field named “__proto__”, or “constructor” with a “prototype”.',
  'JSON with the prototype of a constructor in escapes':
    '400 Bad Request · (usual) · (any origin) · connection: close · (JSON) · content-length: 219 · Date\n40003 bad_body: The body has a field named “__proto__”, or “constructor” with a “prototype”.',
  'JSON with a constructor that is a list':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 29 · Date · Connection: close\n{"constructor":["prototype"]}',
  'JSON with a constructor that is null':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 34 · Date · Connection: close\n{"constructor":null,"prototype":1}',
  'a route that returns nothing': '200 OK · (usual) · (any origin) · content-length: 0 · Date · Connection: close',
  'a route that returns null':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 4 · Date · Connection: close\nnull',
  'a route that returns a text':
    '200 OK · (usual) · (any origin) · content-type: text/plain; charset=utf-8 · content-length: 5 · Date · Connection: close\nplain',
  'a route that returns an empty text':
    '200 OK · (usual) · (any origin) · content-type: text/plain; charset=utf-8 · content-length: 0 · Date · Connection: close',
  'a route that returns a number':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 1 · Date · Connection: close\n1',
  'a route that returns false':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 5 · Date · Connection: close\nfalse',
  'a route that returns a list':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 8 · Date · Connection: close\n[1,"é"]',
  'a route that returns bytes':
    '200 OK · (usual) · (any origin) · content-type: application/octet-stream · content-length: 3 · Date · Connection: close\n\u0001\u0002\u0003',
  'a route of JSON that returns nothing':
    '200 OK · (usual) · (any origin) · content-type: application/json · content-length: 0 · Date · Connection: close',
  'a route of JSON that returns null':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 4 · Date · Connection: close\nnull',
  'a route of JSON that returns a text':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 5 · Date · Connection: close\nplain',
  'a route of JSON that returns a list':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 8 · Date · Connection: close\n[1,"é"]',
  'a route of JSON that returns bytes':
    '200 OK · (usual) · (any origin) · content-type: application/json · content-length: 3 · Date · Connection: close\n\u0001\u0002\u0003',
  'a body with 204': '204 No Content · (usual) · (any origin) · Date · Connection: close',
  'a body with 304':
    '304 Not Modified · (usual) · (any origin) · content-type: text/plain; charset=utf-8 · content-length: 8 · Date · Connection: close',
  'no body with 201':
    '201 Created · (usual) · (any origin) · location: /a · content-length: 0 · Date · Connection: close',
  'two responses to one request':
    '200 OK · (usual) · (any origin) · content-type: text/plain; charset=utf-8 · content-length: 5 · Date · Connection: close\nfirst',
  'two cookies':
    '200 OK · (usual) · (any origin) · set-cookie: a=1 · set-cookie: b=2 · x-upper: kept · (JSON) · content-length: 27 · Date · Connection: close\n{"upper":"kept","has":true}',
  'a stream':
    '200 OK · (usual) · (any origin) · content-type: text/plain · Date · Connection: close · Transfer-Encoding: chunked\n4⏎one ⏎3⏎two⏎0⏎⏎',
  'a stream without a type':
    '200 OK · (usual) · (any origin) · Date · Connection: close · Transfer-Encoding: chunked\n4⏎one ⏎3⏎two⏎0⏎⏎',
  'a stream to a client of HTTP/1.0':
    '200 OK · (usual) · (any origin) · content-type: text/plain · Date · Connection: close\none two',
  'an object to a client of HTTP/1.0':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 8 · Date · Connection: close\n[1,"é"]',
  'a request without a host': '400 Bad Request · Connection: close · Date · Transfer-Encoding: chunked\n0⏎⏎',
  'a stream that fails at once':
    '500 Internal Server Error · (usual) · (any origin) · (JSON) · content-length: 205 · Date · Connection: close\n50001 internal: An internal error occurred. The log has the details under this request id.',
  'a stream that fails after its first bytes':
    '200 OK · (usual) · (any origin) · content-type: text/plain · Date · Connection: close · Transfer-Encoding: chunked\n4⏎one ⏎',
  'a route that fails':
    '500 Internal Server Error · (usual) · (any origin) · x-before: kept · (JSON) · content-length: 205 · Date · Connection: close\n50001 internal: An internal error occurred. The log has the details under this request id.',
  'a route that fails, for a browser':
    '500 Internal Server Error · (usual) · (any origin) · x-before: kept · (JSON) · content-length: 205 · Date · Connection: close\n50001 internal: An internal error occurred. The log has the details under this request id.',
  'an address that does not exist, for a browser':
    "404 Not Found · x-request-id: ID · cache-control: no-store · x-content-type-options: nosniff · x-frame-options: DENY · referrer-policy: no-referrer · content-security-policy: default-src 'none'; style-src 'sha256-+RdyE1OpNkpBX9i7PWN+AbSHrH32W2MVpbUCZ0IlQ0w='; img-src 'self'; form-action *; base-uri 'none'; frame-ancestors 'none' · content-type: text/html; charset=utf-8 · content-language: en · vary: Accept-Language · content-length: 6984 · Date · Connection: close\n(a page)",
  'a route that fails after its headers':
    '200 OK · content-type: text/plain · Date · Connection: close · Transfer-Encoding: chunked\n5⏎begun⏎',
  'a route that fails after it sent the response itself':
    '200 OK · content-type: text/plain · connection: close · Date · Transfer-Encoding: chunked\n5⏎whole⏎0⏎⏎',
  'three requests at once':
    '200 OK · (usual) · (any origin) · (JSON) · content-length: 8 · Date · Connection: keep-alive · Keep-Alive: timeout=65\n[1,"é"]\n200 OK · (usual) · (any origin) · (JSON) · content-length: 8 · Date · Connection: keep-alive · Keep-Alive: timeout=65\n200 OK · (usual) · (any origin) · content-type: text/plain; charset=utf-8 · content-length: 5 · Date · Connection: close\nplain',
  'a body that nobody reads before another request':
    '200 OK · (usual) · (any origin) · content-type: text/plain; charset=utf-8 · content-length: 5 · Date · Connection: keep-alive · Keep-Alive: timeout=65\nplain\n200 OK · (usual) · (any origin) · (JSON) · content-length: 8 · Date · Connection: close\n[1,"é"]',
  'a refused type before another request':
    '415 Unsupported Media Type · (usual) · (any origin) · (JSON) · content-length: 206 · Date · Connection: keep-alive · Keep-Alive: timeout=65\n41501 media_type_unsupported: This address does not accept this content type.\n200 OK · (usual) · (any origin) · (JSON) · content-length: 8 · Date · Connection: close\n[1,"é"]',
  'a body of broken JSON before another request':
    '400 Bad Request · (usual) · (any origin) · connection: close · (JSON) · content-length: 227 · Date\n40003 bad_body: The body is not JSON: line 1, column 2: the text ends where a name in double quotes is expected.',
}
