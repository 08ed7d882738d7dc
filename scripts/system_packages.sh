#!/bin/sh
# The programs that tests drive beside Python: PostgreSQL's, a browser, and bubblewrap, which makes the sandbox. Installed
# where we may (root on Debian or a relative of it), else named. Never a failure: the tests that need what is missing say
# so and are skipped.
set -u

have_postgres() { command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }

have_atomic() { ldconfig -p 2>/dev/null | grep -q libatomic.so.1 || ls /usr/lib/*/libatomic.so.1 >/dev/null 2>&1; }

missing=""
have_postgres || missing="postgresql"
command -v bwrap >/dev/null || missing="$missing bubblewrap"
command -v chromium >/dev/null || missing="$missing chromium"
# What Playwright drives the browser with is linked against it, and nothing else on a bare system brings it along.
have_atomic || missing="$missing libatomic1"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "Tests that need$(printf ' %s' $missing) will be skipped; on Debian, as root: apt-get install -y $missing"
    exit 0
fi

# We need programs, not a service: Debian's package would make a cluster of its own and start it.
if have_postgres || [ -e /etc/postgresql-common/createcluster.conf ]; then :; else
    mkdir -p /etc/postgresql-common/createcluster.d
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/ladderboard-tests.conf
fi

log=$(mktemp)
echo "Installing for the tests:$(printf ' %s' $missing)"
install="apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 $missing"
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update -qq -o Acquire::Retries=2 && $install; } >"$log" 2>&1 </dev/null; then
    tail -n 5 "$log"
    echo "Could not install$(printf ' %s' $missing): the tests that need them will be skipped"
fi
rm -f "$log"
