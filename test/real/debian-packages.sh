#!/bin/sh
# Installs the Debian packages that the tests talk to. Does nothing when they are present, and never fails
# the caller: a test whose program is missing counts itself as skipped, by name.
set -u

packages='python3-oauthlib chromium chromium-headless-shell pgbouncer clickhouse-server mariadb-server php-cli php-mysql wordpress radicale nginx-light caddy curl jq postgresql-client python3 python3-dateutil python3-icalendar'

missing=''
for package in $packages; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=absent
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "debian-packages: no apt-get here; not installed:$missing"
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "debian-packages: not root; not installed:$missing"
  exit 0
fi

export DEBIAN_FRONTEND=noninteractive
install() {
  # The word splitting of $missing is intended: one argument per package.
  # shellcheck disable=SC2086
  apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=180 -o Dpkg::Use-Pty=0 $missing
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "debian-packages: installing$missing"
# Package lists may be absent or too old to name versions that still exist, so a failed attempt is followed by an update.
if install >"$log" 2>&1 || { apt-get update -q >"$log" 2>&1; install >>"$log" 2>&1; }; then
  echo 'debian-packages: done'
else
  tail -n 15 "$log"
  echo "debian-packages: could not install:$missing; the tests that need them will be skipped"
fi
exit 0
