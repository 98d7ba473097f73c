"""Signs a person in on a loopback address and prints their photos. Python's standard library only."""

import json
import os
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

URL = os.environ.get("TRIBUTARY_URL", "http://localhost:8042")
CLIENT_ID = os.environ["CLIENT_ID"]
CLIENT_SECRET = os.environ["CLIENT_SECRET"]
PORT = int(os.environ.get("PORT", "3000"))
REDIRECT_URI = f"http://localhost:{PORT}/back"


def call(path, token=None, form=None, accept="application/json"):
    """Sends a request; returns the open response."""
    body = None if form is None else urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(URL + path, data=body, headers={"accept": accept})
    if token is not None:
        request.add_header("authorization", f"Bearer {token}")
    try:
        return urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        problem = json.load(error)
        sys.exit(f"{problem['reason']}: {problem['error']}")


def receive(state):
    """Waits for the person's return; returns the code."""
    result = {}

    class Back(BaseHTTPRequestHandler):
        def do_GET(self):
            path, _, query = self.path.partition("?")
            if path == "/back":
                result.update(urllib.parse.parse_qsl(query))
            self.send_response(200 if path == "/back" else 404)
            self.end_headers()
            self.wfile.write(b"You can close this page.")

        def log_message(self, *_arguments):
            """The address contains a code: nothing is logged."""

    server = HTTPServer(("localhost", PORT), Back)
    while not result:
        server.handle_request()
    server.server_close()
    if not secrets.compare_digest(result.get("state", ""), state):
        sys.exit("This sign-in did not begin here.")
    if "error" in result:
        sys.exit(f"Not connected: {result['error']}")
    return result["code"]


def items(path, token):
    """All items of a list, page after page."""
    while path is not None:
        with call(path, token) as response:
            yield from json.load(response)
            link = response.headers.get("link", "")
        following = next((part for part in link.split(",") if 'rel="next"' in part), None)
        path = None
        if following is not None:
            address = urllib.parse.urlsplit(following[following.index("<") + 1 : following.index(">")])
            path = f"{address.path}?{address.query}"


state = secrets.token_urlsafe(16)
query = {"client_id": CLIENT_ID, "redirect_uri": REDIRECT_URI, "service": "demo-social", "state": state}
print(f"Open {URL}/oauth/authenticate?{urllib.parse.urlencode(query)}", flush=True)

form = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "code": receive(state)}
token = json.load(call("/oauth/access_token", form=form))["access_token"]

# The stream ends when the first sync is done.
with call("/profiles/demo-social/sync", token, accept="text/event-stream") as progress:
    for line in progress:
        if line.startswith(b"event:"):
            print(line.decode().strip(), file=sys.stderr)

count = 0
for photo in items("/types/photos?limit=20", token):
    count += 1
    print(photo["oembed"].get("title", photo["id"]))
print(f"{count} photos")
