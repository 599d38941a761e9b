# shellcheck shell=bash
# The part of deploy.sh for containers. The file .env beside compose.yml says which tag is in use (HOOKWORK_VERSION), which one
# was the last that all containers ran with (HOOKWORK_PROVEN_VERSION), and where --rollback goes (HOOKWORK_PREVIOUS_VERSION).
# shellcheck disable=SC2154 # here, dry_run, rollback, what and ready_seconds are deploy.sh's

deploy_by_compose() {
  cd -- "$here/.." || fail "$here/.. cannot be entered"
  [[ -f .env ]] || fail "there is no $PWD/.env; compose.yml says what belongs into it"
  lock "$PWD"
  local former proven
  former=$(variable HOOKWORK_VERSION)
  proven=$(variable HOOKWORK_PROVEN_VERSION)
  release=$what
  if [[ $rollback ]]; then
    release=$(variable HOOKWORK_PREVIOUS_VERSION)
    [[ $release ]] || fail "no version before is known; deploy a tag instead: docker image ls hookwork"
  fi
  [[ $release =~ ^[A-Za-z0-9_][A-Za-z0-9._-]*$ ]] || fail "$release is not the tag of an image"
  say "To $release, from ${former:-latest}"
  # For compose this goes before the file.
  export HOOKWORK_VERSION=$release
  if [[ -z $rollback ]]; then
    build_image
    say "Migrations"
    run docker compose run --rm -T migrate ||
      fail "the database is not migrated, and nothing is switched; mend what is said above, and run this again"
    # First the version before, so that an interruption in between forgets nothing. One that never got ready is no way back.
    if [[ ! $proven ]]; then
      proven=${former:-latest}
      set_variable HOOKWORK_PROVEN_VERSION "$proven"
    fi
    if [[ $proven != "$release" ]]; then set_variable HOOKWORK_PREVIOUS_VERSION "$proven"; fi
  fi
  set_variable HOOKWORK_VERSION "$release"
  replace_containers
  set_variable HOOKWORK_PROVEN_VERSION "$release"
}

# What .env says of a variable, without the quotes.
variable() { sed -nE "s/^$1='?([^']*)'?\$/\1/p" .env | tail -n 1; }

# The file holds secrets: it keeps its owner and its mode, and is replaced whole.
set_variable() {
  say "  write $1=$2 into .env"
  if [[ $dry_run ]]; then return; fi
  cp -p .env .env.draft
  { grep -v "^$1=" .env || true; printf "%s='%s'\n" "$1" "$2"; } >.env.draft
  mv .env.draft .env
}

build_image() {
  say "Image: hookwork:$release"
  if docker image inspect "hookwork:$release" >/dev/null 2>&1; then return; fi
  HOOKWORK_COMMIT=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
  export HOOKWORK_COMMIT
  run docker compose build migrate
}

replace_containers() {
  local services service workers
  say "Receivers, one after the other"
  services=$(docker compose config --services | grep '^app' | sort) || fail "compose.yml has no receiver, or is not read: see above"
  for service in $services; do
    run docker compose up --detach --no-deps "$service"
    wait_until "$service is ready" docker compose exec -T "$service" hookwork health --ready ||
      fail "$service is not ready after $ready_seconds s; see docker compose logs $service. Those after it run on as they were."
  done
  say "Workers; each has up to a minute to end its jobs"
  workers=$(docker compose ps --quiet worker | wc -l)
  run docker compose up --detach --no-deps --scale "worker=$((workers > 0 ? workers : 1))" worker
  run docker compose up --detach --no-deps --no-recreate caddy
}
