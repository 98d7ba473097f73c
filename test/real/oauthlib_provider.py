"""A strict OAuth 1.0a service (RFC 5849) judged by oauthlib, on loopback.

The settings are one JSON argument. Lines of JSON on stdout say the port and answer the commands that come as lines of
JSON on stdin; the end of stdin ends the program.
"""

import html
import json
import os
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from string import ascii_letters, digits
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from oauthlib.oauth1 import (
    SIGNATURE_HMAC_SHA1,
    SIGNATURE_HMAC_SHA256,
    SIGNATURE_RSA_SHA1,
    RequestValidator,
    WebApplicationServer,
)

SETTINGS = json.loads(sys.argv[1])
LENGTHS = (5, 64)


class Rules(RequestValidator):
    enforce_ssl = False
    # oauthlib refuses every call when the default realm is not one of these.
    realms = ["default"]
    client_key_length = nonce_length = verifier_length = LENGTHS
    request_token_length = access_token_length = LENGTHS
    safe_characters = set(ascii_letters + digits + "-_")
    allowed_signature_methods = (SIGNATURE_HMAC_SHA1, SIGNATURE_HMAC_SHA256, SIGNATURE_RSA_SHA1)
    dummy_client = dummy_request_token = dummy_access_token = "dummy-dummy"

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
        self.seen = set()
        self.request_tokens = {}
        self.access_tokens = {}

    # What is known about a client, a request token and an access token.
    def validate_client_key(self, client_key, request):
        return client_key == SETTINGS["consumerKey"]

    def get_client_secret(self, client_key, request):
        return SETTINGS["consumerSecret"] if client_key == SETTINGS["consumerKey"] else "dummy"

    def get_rsa_key(self, client_key, request):
        return SETTINGS["rsaPublicKey"]

    def get_request_token_secret(self, client_key, token, request):
        return self.request_tokens.get(token, {}).get("oauth_token_secret", "dummy")

    def get_access_token_secret(self, client_key, token, request):
        return self.access_tokens.get(token, {}).get("oauth_token_secret", "dummy")

    def get_default_realms(self, client_key, request):
        return ["default"]

    def get_realms(self, token, request):
        return ["default"]

    def get_redirect_uri(self, token, request):
        return self.request_tokens[token]["callback"]

    # What is allowed.
    def validate_redirect_uri(self, client_key, redirect_uri, request):
        return redirect_uri in SETTINGS["callbacks"]

    def validate_requested_realms(self, client_key, realms, request):
        return True

    def validate_realms(self, client_key, token, request, uri=None, realms=None):
        return True

    def validate_timestamp_and_nonce(
        self, client_key, timestamp, nonce, request, request_token=None, access_token=None
    ):
        use = (client_key, timestamp, nonce, request_token, access_token)
        with self.lock:
            if use in self.seen:
                # oauthlib stops here and logs nothing by itself.
                request.validator_log["nonce"] = False
                return False
            self.seen.add(use)
            return True

    def validate_request_token(self, client_key, token, request):
        return token in self.request_tokens

    def validate_access_token(self, client_key, token, request):
        return token in self.access_tokens

    def verify_request_token(self, token, request):
        return token in self.request_tokens

    def validate_verifier(self, client_key, token, verifier, request):
        expected = self.request_tokens.get(token, {}).get("verifier")
        return expected is not None and secrets.compare_digest(expected, verifier)

    # What is kept.
    def save_request_token(self, token, request):
        self.request_tokens[token["oauth_token"]] = {**token, "callback": request.redirect_uri}

    def save_verifier(self, token, verifier, request):
        self.request_tokens[token]["verifier"] = verifier["oauth_verifier"]

    def save_access_token(self, token, request):
        self.access_tokens[token["oauth_token"]] = {**token, "person": token["screen_name"]}

    def invalidate_request_token(self, client_key, request_token, request):
        self.request_tokens.pop(request_token, None)


class Service(WebApplicationServer):
    """Remembers which checks the latest leg of this thread failed, because oauthlib answers a bare 401."""

    def __init__(self, rules):
        super().__init__(rules)
        self.failed = threading.local()

    def validate_request_token_request(self, request):
        return self._noted(request, super().validate_request_token_request(request))

    def validate_access_token_request(self, request):
        return self._noted(request, super().validate_access_token_request(request))

    def create_access_token(self, request, credentials):
        person = self.request_validator.request_tokens[request.resource_owner_key]["person"]
        return super().create_access_token(request, {"screen_name": person, "user_id": f"id-{person}"})

    def _noted(self, request, outcome):
        self.failed.checks = failed_checks(request)
        return outcome


def failed_checks(request):
    return sorted(name for name, passed in (request.validator_log or {}).items() if not passed)


RULES = Rules()
SERVICE = Service(RULES)
ITEMS = [{"id": str(1000 + n), "text": f"item {n} \u00e9\u4e16\u754c"} for n in range(25)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.route("GET")

    def do_POST(self):
        self.route("POST")

    def route(self, method):
        self.raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = urlsplit(self.path).path
        handle = {
            ("POST", "/oauth/request_token"): self.request_token,
            ("GET", "/oauth/authorize"): self.authorize_page,
            ("POST", "/oauth/authorize"): self.decide,
            ("POST", "/oauth/access_token"): self.access_token,
            ("GET", "/me"): self.me,
            ("GET", "/items"): self.items,
            ("POST", "/echo"): self.echo,
        }.get((method, path))
        if handle is None:
            self.answer(404, {"error": "no such address"})
        else:
            handle(method)

    def signed(self, method):
        """The request as oauthlib takes it: a body counts for the signature only when it is a form."""
        form = self.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
        uri = f"http://{self.headers['host']}{self.path}"
        return uri, method, self.raw.decode() if form else None, dict(self.headers)

    # The three legs.
    def request_token(self, method):
        SERVICE.failed.checks = []
        self.leg(SERVICE.create_request_token_response(*self.signed(method)))

    def access_token(self, method):
        SERVICE.failed.checks = []
        self.leg(SERVICE.create_access_token_response(*self.signed(method)))

    def leg(self, outcome):
        headers, body, status = outcome
        if status == 200:
            self.answer(200, body, headers.get("Content-Type"))
        else:
            self.answer(status, {"error": body or "refused", "failed": SERVICE.failed.checks})

    def authorize_page(self, method):
        token = dict(parse_qsl(urlsplit(self.path).query)).get("oauth_token", "")
        if token not in RULES.request_tokens:
            return self.answer(404, "<p>This request is unknown or was used already.</p>", "text/html")
        self.answer(
            200,
            f'<form method="post" action="/oauth/authorize">'
            f'<input type="hidden" name="oauth_token" value="{html.escape(token)}">'
            f'<label>Name <input name="person" value="alice"></label>'
            f'<button name="decision" value="approve">Approve</button>'
            f'<button name="decision" value="deny">Deny</button></form>',
            "text/html",
        )

    def decide(self, method):
        form = dict(parse_qsl(self.raw.decode()))
        token = form.get("oauth_token", "")
        if token not in RULES.request_tokens:
            return self.answer(404, "<p>This request is unknown or was used already.</p>", "text/html")
        callback = RULES.request_tokens[token]["callback"]
        if form.get("decision") != "approve":
            RULES.request_tokens.pop(token)
            joint = "&" if "?" in callback else "?"
            return self.redirect(f"{callback}{joint}{urlencode({'denied': token})}")
        uri = f"http://{self.headers['host']}/oauth/authorize?{urlencode({'oauth_token': token})}"
        RULES.request_tokens[token]["person"] = form.get("person", "alice")
        headers, _, _ = SERVICE.create_authorization_response(uri, "POST", None, {})
        self.redirect(headers["Location"])

    # The protected addresses.
    def caller(self, method):
        valid, request = SERVICE.validate_protected_resource_request(*self.signed(method), realms=[])
        if valid:
            return RULES.access_tokens[request.resource_owner_key]["person"]
        # A malformed request is answered by oauthlib without a log of checks.
        log = request.validator_log if request is not None else None
        self.answer(401, {"error": "refused", "failed": failed_checks(request) if log else ["malformed"]})
        return None

    def me(self, method):
        person = self.caller(method)
        if person is not None:
            name = f"{person.capitalize()} Example"
            self.answer(200, {"id": f"id-{person}", "screen_name": person, "name": name})

    def items(self, method):
        person = self.caller(method)
        if person is None:
            return
        query = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        offset = int(query.get("offset", ["0"])[0])
        limit = int(query.get("limit", ["10"])[0])
        page = {"owner": person, "query": query, "items": ITEMS[offset : offset + limit]}
        if offset + limit < len(ITEMS):
            page["next"] = offset + limit
        self.answer(200, page)

    def echo(self, method):
        person = self.caller(method)
        if person is not None:
            form = parse_qsl(self.raw.decode(), keep_blank_values=True)
            self.answer(200, {"owner": person, "form": form, "body": self.raw.decode()})

    def redirect(self, location):
        self.send_response(302)
        self.send_header("location", location)
        self.send_header("content-length", "0")
        self.end_headers()

    def answer(self, status, body, content_type="application/json"):
        payload = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("content-type", f"{content_type}; charset=utf-8")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True


def tell(message):
    print(json.dumps(message), flush=True)


def main():
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tell({"port": server.server_address[1]})
    for line in sys.stdin:
        command = json.loads(line)
        if "callbacks" in command:
            SETTINGS["callbacks"] = command["callbacks"]
            tell({})
            continue
        known = RULES.access_tokens.pop(command["revoke"], None)
        tell({"revoked": known is not None})
    os._exit(0)


main()
