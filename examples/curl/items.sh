#!/bin/sh
# Prints the newest items of a person: time, type and title. Needs curl and jq.
# Usage: TOKEN=trt_… sh items.sh [type] [number]
set -eu
url=${TRIBUTARY_URL:-http://localhost:8042}
type=${1:-all}
number=${2:-20}

# The token is passed on standard input, so that a list of processes does not show it.
get() {
  printf 'header = "Authorization: Bearer %s"\n' "$TOKEN" |
    curl --silent --show-error --fail-with-body --config - "$url$1"
}

get /profile | jq -r '"\(.name): \(.services | keys | join(", "))"'
get "/types/$type?limit=$number&dedup=true" |
  jq -r '.[] | [(.at / 1000 | todate), (.types | keys[0]), (.oembed.title // .oembed.text // .idr)] | @tsv'
