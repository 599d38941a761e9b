#!/usr/bin/env bash
# Installs Hookwork on a Debian server for the first time: see --help. It says what it does, and can be run again: what is
# there is kept, what is missing is added. deploy/deploy.sh brings later versions.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
programs=(hookwork hookwork-receiver hookwork-worker)
ports=(8081 8082)
workers=(1 2)
settings_file=/etc/hookwork/hookwork.env
cli=/usr/local/bin/hookwork

# shellcheck source=deploy/settings.sh
. "$here/settings.sh"

usage() {
  cat <<'HELP'
Usage: install.sh --from <folder or tarball> [options]

  --from PATH              where the three binaries are: a folder, or a tarball of one
  --settings FILE          settings to take over, NAME='value' in each line, as in .env.example
  --postgres               install Postgres here, with a database, a role and a password of its own
  --caddy                  install Caddy with deploy/Caddyfile; needs --domain
  --domain NAME            the name under which this server is reached: hooks.example.com
  --alert-chat ID          the Telegram chat that is told of failures
  --amocrm-account NAME    the account at amoCRM: its subdomain; the rest of its settings by --settings
  --register               have Telegram, and amoCRM where it is set up, send here; needs --domain
  --dry-run                only say what would be done
  --help                   print this

The token of the Telegram bot is taken from --settings, else it is asked for: the arguments of a command can be
seen by everybody on the machine.
HELP
}

say() { printf '%s\n' "$*"; }
fail() { printf 'Cannot install: %s\n' "$*" >&2; exit 1; }

# Does it, unless this is a dry run; says it either way. No secret may be an argument.
run() {
  say "  $*"
  [[ $dry_run ]] || "$@"
}

# Writes standard input to a file, whole or not at all: put <mode> <owner:group> <path>. Sets $written if it was another one.
put() {
  local mode=$1 owner=$2 path=$3 draft
  if [[ $dry_run ]]; then
    cat >/dev/null
    say "  write $path"
    return
  fi
  draft=$(mktemp "$path.XXXXXX")
  cat >"$draft"
  chmod "$mode" "$draft"
  chown "$owner" "$draft"
  if cmp -s "$draft" "$path"; then
    rm "$draft"
    return
  fi
  mv "$draft" "$path"
  say "  write $path"
  written=1
}

read_arguments() {
  from='' settings='' postgres='' caddy='' domain='' alert_chat='' amocrm_account='' register='' dry_run=''
  local name
  while (($#)); do
    name=${1#--}
    case $1 in
      --from | --settings | --domain | --alert-chat | --amocrm-account)
        [[ ${2-} ]] || fail "$1 needs a value; see --help"
        printf -v "${name//-/_}" %s "$2"
        shift
        ;;
      --postgres | --caddy | --register | --dry-run) printf -v "${name//-/_}" 1 ;;
      --help) usage && exit 0 ;;
      *) fail "$1 is not known; see --help" ;;
    esac
    shift
  done
  [[ $from ]] || fail "say by --from where the binaries are; see --help"
  [[ -z $settings || -r $settings ]] || fail "$settings cannot be read"
  [[ -z $domain || $domain =~ ^[A-Za-z0-9.-]+$ ]] || fail "$domain is not the name of a server"
  [[ -z $caddy$register || $domain ]] || fail "--caddy and --register need --domain"
  [[ $dry_run || $(id -u) == 0 ]] || fail "only root can; run it by sudo, or with --dry-run"
  command -v apt-get >/dev/null || fail "this is no Debian: apt-get is missing"
}

# Sets $build to a folder with the three binaries.
find_binaries() {
  build=$from
  if [[ -f $from ]]; then
    unpacked=$(mktemp -d)
    trap 'rm -rf "$unpacked"' EXIT
    tar -xf "$from" -C "$unpacked" --no-same-owner
    build=$(dirname -- "$(find "$unpacked" -name hookwork-receiver -type f -print -quit)")
  fi
  local program
  for program in "${programs[@]}"; do
    [[ -x $build/$program ]] || fail "there is no program $program in $from"
  done
  # "hookwork 0.1.0 (commit 1a2b3c)" becomes 0.1.0-1a2b3c
  release=$("$build/hookwork" --version | sed -nE 's/^hookwork (.*) \(commit (.*)\)$/\1-\2/p' | tr -c 'A-Za-z0-9.\n' -)
  [[ $release ]] || fail "$build/hookwork does not run on this machine"
}

install_packages() {
  local packages=(openssl)
  [[ -z $postgres ]] || packages+=(postgresql)
  [[ -z $caddy ]] || packages+=(caddy)
  say "Packages of Debian"
  local states
  states=$(dpkg-query -Wf '${db:Status-Status}\n' "${packages[@]}" 2>/dev/null) &&
    ! grep -qvx installed <<<"$states" && return
  run apt-get -q update
  run env DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends install "${packages[@]}"
}

create_user_and_folders() {
  say "User and folders"
  getent passwd hookwork >/dev/null ||
    run useradd --system --user-group --home-dir /var/lib/hookwork --shell /usr/sbin/nologin hookwork
  run install -d -m 0755 /opt/hookwork /opt/hookwork/releases
  run install -d -m 0750 -o root -g hookwork /etc/hookwork
  run install -d -m 0750 -o hookwork -g hookwork /var/lib/hookwork /var/lib/hookwork/documents /var/backups/hookwork
}

install_binaries() {
  local folder=/opt/hookwork/releases/$release
  say "Programs: $release"
  run install -d -m 0755 "$folder"
  local program
  for program in "${programs[@]}"; do
    # A program that runs cannot be written to.
    cmp -s "$build/$program" "$folder/$program" || run install -m 0755 "$build/$program" "$folder/$program"
  done
  if [[ ! -e /opt/hookwork/current ]]; then
    run ln -sfn "releases/$release" /opt/hookwork/current
  elif [[ $(readlink /opt/hookwork/current) != "releases/$release" ]]; then
    say "  $(readlink -f /opt/hookwork/current) stays in use; deploy/deploy.sh switches to another release"
  fi
  put 0755 root:root $cli <"$here/hookwork.sh"
}

check_settings() {
  local code=0 again="mend $settings_file as it says above, and run this again"
  say "Migrations and check"
  run $cli migrate || fail "the database is not ready; $again"
  run $cli check || code=$?
  [[ $code != 78 ]] || fail "settings are missing or unfit; $again"
  if [[ $code != 0 ]]; then say "  Not all is well yet, see above. The services keep trying."; fi
}

install_units() {
  local units=(hookwork-backup.timer) folder=/etc/systemd/system
  units+=("${ports[@]/#/hookwork-receiver@}" "${workers[@]/#/hookwork-worker@}")
  say "Units of systemd"
  run install -d -m 0755 $folder/hookwork-.service.d
  local unit
  for unit in "$here"/systemd/hookwork-*.{service,timer} "$here"/systemd/hookwork-.service.d/*.conf; do
    put 0644 root:root "$folder/${unit#"$here"/systemd/}" <"$unit"
  done
  if [[ -d /run/systemd/system ]]; then
    run systemctl daemon-reload
    run systemctl enable --now "${units[@]}"
    local port
    for port in "${ports[@]}"; do wait_for "$port"; done
  else
    say "  systemd does not run here: later, systemctl enable --now ${units[*]}"
  fi
}

# Waits until somebody listens on a port of this machine.
wait_for() {
  if [[ $dry_run ]]; then return; fi
  local tries
  for ((tries = 0; tries < 60; tries++)); do
    if (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return; fi
    sleep 0.5
  done
  fail "nobody listens on port $1 after half a minute; see journalctl -u hookwork-receiver@$1"
}

install_proxy() {
  [[ $caddy ]] || return 0
  local folder=/etc/systemd/system/caddy.service.d
  say "Caddy: https://$domain"
  [[ -e /etc/caddy/Caddyfile.before-hookwork ]] || run cp /etc/caddy/Caddyfile /etc/caddy/Caddyfile.before-hookwork
  run install -d -m 0755 $folder
  written=''
  put 0644 root:root $folder/hookwork.conf <<<"[Service]"$'\n'"Environment=HOOKWORK_DOMAIN=$domain"
  put 0644 root:root /etc/caddy/Caddyfile <"$here/Caddyfile"
  if [[ $written && -d /run/systemd/system ]]; then
    run systemctl daemon-reload
    run systemctl restart caddy
  fi
}

register_webhooks() {
  [[ $register ]] || return 0
  say "Webhooks"
  run $cli telegram set-webhook "https://$domain/hooks/telegram" || failed=1
  if has AMOCRM_ACCOUNT; then run $cli amocrm subscribe "https://$domain/hooks/amocrm" || failed=1; fi
  [[ -z ${failed-} ]] || fail "not all webhooks are registered, see above; run this again when that is mended"
}

main() {
  read_arguments "$@"
  find_binaries
  if [[ $dry_run ]]; then say "A dry run: nothing is changed."; fi
  install_packages
  create_user_and_folders
  install_binaries
  write_settings
  check_settings
  install_units
  install_proxy
  register_webhooks
  say "Done. How it is: hookwork check, hookwork doctor, journalctl -u 'hookwork-*'"
}

main "$@"
