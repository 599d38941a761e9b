#!/usr/bin/env bash
# Brings another version of Hookwork into use while deliveries go on, and back again: see --help. It says what it does, and
# can be run again after any interruption: each step leaves what the next run finds and completes.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
ready_seconds=${READY_SECONDS:-60}

# shellcheck source=deploy/deploy_systemd.sh
. "$here/deploy_systemd.sh"
# shellcheck source=deploy/deploy_compose.sh
. "$here/deploy_compose.sh"

usage() {
  cat <<'HELP'
Usage: deploy.sh [--dry-run] systemd <folder or tarball with the three binaries>
       deploy.sh [--dry-run] compose <tag of the image>
       deploy.sh [--dry-run] --rollback systemd | compose

It migrates the database, then replaces the receivers one after the other, each when the one before is ready, then the
workers. --rollback brings the version before back in the same way. --dry-run only says what would be done.

An image that is not there is built from this checkout. HOOKWORK_ROOT is where the releases are, if not /opt/hookwork;
READY_SECONDS how long a receiver may take until it is ready, if not 60.
HELP
}

say() { printf '%s\n' "$*"; }
fail() { printf 'Cannot deploy: %s\n' "$*" >&2; exit 1; }

# Does it, unless this is a dry run; says it either way.
run() {
  say "  $*"
  [[ $dry_run ]] || "$@"
}

read_arguments() {
  dry_run='' rollback=''
  while [[ ${1-} == --* ]]; do
    case $1 in
      --dry-run) dry_run=1 ;;
      --rollback) rollback=1 ;;
      --help) usage && exit 0 ;;
      *) fail "$1 is not known; see --help" ;;
    esac
    shift
  done
  way=${1-} what=${2-}
  [[ $way == systemd || $way == compose ]] || fail "say systemd or compose; see --help"
  [[ $# -le 2 ]] || fail "$3 is too much; see --help"
  [[ $what || $rollback ]] || fail "say what to deploy; see --help"
  [[ -z $what || -z $rollback ]] || fail "--rollback goes to the version before, and takes no other; deploy $what instead"
}

# One at a time: the lock goes with this process, however that ends.
lock() {
  [[ $dry_run ]] && return
  exec {lock}>"$1/.deploy.lock"
  flock --nonblock "$lock" || fail "another deploy is under way here; wait until it has ended"
}

# Waits until a command succeeds: wait_until <what> <command...>
wait_until() {
  local awaited=$1 deadline=$((SECONDS + ready_seconds))
  shift
  say "  wait until $awaited"
  [[ $dry_run ]] && return
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || return 1
    sleep 0.2
  done
}

say_what_holds() {
  if [[ $rollback ]]; then
    say "Done: $release is back. The database keeps the schema of the newer version, since migrations go forward only; each"
    say "version works on the schema of the one after it. Do not go back further than this one."
  else
    say "Done: $release is in use. Back to the version before: deploy.sh --rollback $way"
  fi
}

main() {
  read_arguments "$@"
  if [[ $dry_run ]]; then say "A dry run: nothing is changed."; fi
  "deploy_by_$way"
  say_what_holds
}

main "$@"
