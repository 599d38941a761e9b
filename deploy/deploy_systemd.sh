# shellcheck shell=bash
# The part of deploy.sh for binaries under systemd. Releases stay in folders of their own, the link `current` says which one
# is in use, `proven` which one was the last that all units ran with, and `previous` where --rollback goes.
# shellcheck disable=SC2154 # dry_run, rollback, what and ready_seconds are deploy.sh's

root=${HOOKWORK_ROOT:-/opt/hookwork}
programs=(hookwork hookwork-receiver hookwork-worker)
kept_releases=5
# A worker that has run for so long has found its settings fit and its database.
worker_seconds=3

deploy_by_systemd() {
  [[ -d $root/releases ]] || fail "there is no $root/releases; deploy/install.sh is for the first time"
  lock "$root"
  if [[ $rollback ]]; then
    release=$(release_of previous)
    [[ $release ]] || fail "no version before is known; deploy one of $root/releases instead"
    say "Back to $release, from $(release_of current)"
  else
    find_binaries
    say "To $release, from $(release_of current)"
    store_release
    prepare_database
  fi
  local units
  units=$(systemctl list-units --all --full --plain --no-legend 'hookwork-*@*.service') || fail "systemctl does not answer"
  mapfile -t receivers < <(grep -o '^hookwork-receiver@[^ ]*' <<<"$units")
  mapfile -t workers < <(grep -o '^hookwork-worker@[^ ]*' <<<"$units")
  ((${#receivers[@]} + ${#workers[@]})) || fail "systemd knows no unit of Hookwork here; deploy/install.sh is for the first time"
  switch_to_release
  restart_receivers
  restart_workers
  if [[ $(release_of proven) != "$release" ]]; then link proven "$release"; fi
  remove_old_releases
}

# The name of the release that a link leads to.
release_of() {
  if [[ -L $root/$1 ]]; then basename -- "$(readlink -- "$root/$1")"; fi
}

# Sets $build to a folder with the three binaries, and $release to their name: "hookwork 0.1.0 (commit 1a2b)" is 0.1.0-1a2b.
find_binaries() {
  build=$what
  if [[ -f $what ]]; then
    unpacked=$(mktemp -d)
    trap 'rm -rf "$unpacked"' EXIT
    tar -xf "$what" -C "$unpacked" --no-same-owner
    build=$(dirname -- "$(find "$unpacked" -name hookwork-receiver -type f -print -quit)")
  fi
  local program
  for program in "${programs[@]}"; do
    [[ -x $build/$program ]] || fail "there is no program $program in $what"
  done
  release=$("$build/hookwork" --version | sed -nE 's/^hookwork (.*) \((commit )?(.*)\)$/\1-\3/p' | tr -c 'A-Za-z0-9.\n' -)
  [[ $release ]] || fail "$what/hookwork does not run on this machine"
}

# A release appears whole or not at all, and is never changed: what runs cannot be written to.
store_release() {
  local folder=$root/releases/$release program draft=$root/releases/.draft
  say "Programs: $folder"
  if [[ -d $folder ]]; then
    for program in "${programs[@]}"; do
      cmp -s "$build/$program" "$folder/$program" ||
        fail "$folder is there and its $program is another one; build with a version or a commit of its own"
    done
    return
  fi
  run rm -rf "$draft"
  run install -d -m 0755 "$draft"
  for program in "${programs[@]}"; do run install -m 0755 "$build/$program" "$draft/$program"; done
  run mv "$draft" "$folder"
}

# By the new version, while the old one runs on: nothing is switched before both have succeeded.
prepare_database() {
  local cli=$root/releases/$release/hookwork code=0 said=''
  say "Settings and migrations"
  if [[ ! $dry_run ]]; then said=$("$cli" check 2>&1) || code=$?; fi
  [[ $code != 78 ]] || fail "$release does not take the settings:"$'\n'"$said"$'\n'"Nothing is switched; mend them, and run this again"
  run "$cli" migrate || fail "the database is not migrated, see above. Nothing is switched; mend that, and run this again"
}

# First `previous`, so that an interruption in between forgets nothing; a link is replaced in one step. One that never got
# ready is no way back: that goes to the one before it.
switch_to_release() {
  local proven
  say "Switch"
  proven=$(release_of proven)
  if [[ ! $proven ]]; then
    proven=$(release_of current)
    link proven "$proven"
  fi
  if [[ $proven != "$release" && -z $rollback ]]; then link previous "$proven"; fi
  link current "$release"
}

link() {
  if [[ -z $2 ]]; then return; fi
  run ln -sfn "releases/$2" "$root/.$1"
  run mv -T "$root/.$1" "$root/$1"
}

restart_receivers() {
  local unit port
  say "Receivers, one after the other"
  if ((${#receivers[@]} == 1)); then say "  There is only one: deliveries are refused meanwhile, and their senders repeat them."; fi
  for unit in "${receivers[@]}"; do
    port=${unit#*@} port=${port%.service}
    run systemctl restart "$unit"
    wait_until "$unit is ready" "$root/current/hookwork" health --ready --url "http://127.0.0.1:$port" ||
      fail "$unit is not ready after $ready_seconds s; see journalctl -u $unit. Receivers after it run on as they were. $(back)"
  done
}

restart_workers() {
  local unit
  say "Workers, one after the other; each has up to a minute to end its jobs"
  for unit in "${workers[@]}"; do
    run systemctl restart "$unit"
    if [[ $dry_run ]]; then continue; fi
    sleep "$worker_seconds"
    systemctl is-active --quiet "$unit" || fail "$unit does not stay up; see journalctl -u $unit. $(back)"
  done
}

back() {
  if [[ -z $rollback ]]; then printf %s "Back: deploy.sh --rollback systemd"; fi
}

remove_old_releases() {
  local folder
  find "$root/releases" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' | sort -rn | tail -n "+$((kept_releases + 1))" |
    while read -r _ folder; do
      if [[ $folder -ef $root/current || $folder -ef $root/previous || $folder -ef $root/proven ]]; then continue; fi
      run rm -rf -- "$folder"
    done
}
