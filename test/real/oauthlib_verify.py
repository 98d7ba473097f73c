"""Judges OAuth 1.0a requests with oauthlib's own server side.

Reads one JSON object per line: method, uri, body, headers, consumer_secret, token_secret, public_key.
Writes one line per request: {"valid": true|false, "error": null|"..."}.
"""
import json
import sys

from oauthlib.oauth1 import RequestValidator, SignatureOnlyEndpoint


class Judge(RequestValidator):
    enforce_ssl = False
    allowed_signature_methods = ("HMAC-SHA1", "HMAC-SHA256", "RSA-SHA1", "RSA-SHA256", "PLAINTEXT")
    dummy_client = "nobody"

    def __init__(self, request):
        super().__init__()
        self.request = request

    def check_client_key(self, client_key):
        return True

    def check_nonce(self, nonce):
        return True

    def validate_client_key(self, client_key, request):
        return True

    def validate_timestamp_and_nonce(self, *args, **kwargs):
        return True

    def get_client_secret(self, client_key, request):
        return self.request["consumer_secret"]

    def get_access_token_secret(self, client_key, token, request):
        return self.request["token_secret"]

    def get_rsa_key(self, client_key, request):
        return self.request["public_key"]


def judge(request):
    endpoint = SignatureOnlyEndpoint(Judge(request))
    valid, _ = endpoint.validate_request(request["uri"], request["method"], request["body"], request["headers"])
    return bool(valid)


for line in sys.stdin:
    try:
        answer = {"valid": judge(json.loads(line)), "error": None}
    except Exception as error:
        answer = {"valid": False, "error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
