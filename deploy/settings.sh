# shellcheck shell=bash
# The part of install.sh that writes the file of settings. `text` is what the file is to hold; a setting that is there stays
# as it is, so nothing is lost by a second run.
# shellcheck disable=SC2154 # settings, settings_file, postgres, ports, dry_run and the like are install.sh's

# Whether there is a setting of this name, if only an empty one.
has() { grep -qE "^[[:space:]]*$1=" <<<"$text"; }

# Adds a setting that is not there. Between single quotes nothing is special, neither to systemd nor to a shell.
add() {
  if has "$1"; then return; fi
  [[ $2 != *[\'$'\n']* ]] || fail "$1 has a quote or a line end in it; write it into $settings_file yourself"
  text+="$1='$2'"$'\n'
}

# Asks a person, if there is one, for a setting that is not there.
ask() {
  local answer=''
  if [[ $dry_run || ! -t 0 ]] || has "$1"; then return; fi
  read -rp "  $2: " answer
  if [[ $answer ]]; then add "$1" "$answer"; fi
}

secret() { openssl rand -hex 32; }

as_postgres() { (cd / && runuser -u postgres -- psql -XAtq -v ON_ERROR_STOP=1 -f -); }

create_database() {
  if [[ -z $postgres ]] || has DATABASE_URL; then return; fi
  say "Database: role and database hookwork"
  if [[ $dry_run ]]; then return; fi
  as_postgres <<<'' 2>/dev/null || service postgresql start
  local password
  password=$(secret)
  # A bare machine has no language set, and then the server's own encoding is none.
  as_postgres <<SQL
    select 'create role hookwork' where not exists (select from pg_roles where rolname = 'hookwork') \gexec
    alter role hookwork login password '$password';
    select \$\$create database hookwork owner hookwork template template0 encoding 'UTF8' locale 'C.UTF-8'\$\$
      where not exists (select from pg_database where datname = 'hookwork') \gexec
SQL
  add DATABASE_URL "postgres://hookwork:$password@127.0.0.1:5432/hookwork"
}

# A line that is left out without a word may be a secret that senders know already: another one would refuse them all.
take_over_settings() {
  local line name number=0
  while IFS= read -r line || [[ $line ]]; do
    line=${line%$'\r'} number=$((number + 1))
    if [[ $line =~ ^[[:space:]]*([#\;].*)?$ ]]; then continue; fi
    [[ $line =~ ^[A-Z][A-Z0-9_]*= ]] ||
      fail "line $number of $settings is not NAME='value', from the beginning of the line to its end; write it so"
    name=${line%%=*}
    # An empty one, as most are in .env.example, counts as not given.
    if [[ ! ${line#*=} =~ ^[[:space:]]*(\'\'|\"\")?[[:space:]]*$ ]] && ! has "$name"; then text+=$line$'\n'; fi
  done <"$settings"
}

write_settings() {
  say "Settings: $settings_file"
  text='# The settings of Hookwork. All that there are: hookwork check --example'$'\n'
  if [[ -r $settings_file ]]; then text=$(cat "$settings_file")$'\n'; fi
  if [[ $settings ]]; then take_over_settings; fi
  create_database
  if [[ $alert_chat ]]; then add TELEGRAM_ALERT_CHAT_ID "$alert_chat"; fi
  if [[ $amocrm_account ]]; then add AMOCRM_ACCOUNT "$amocrm_account"; fi
  if has AMOCRM_ACCOUNT; then
    add AMOCRM_WEBHOOK_SECRET "$(secret)"
    add CONTRACT_DIR /var/lib/hookwork/documents
  fi
  ask DATABASE_URL "Address of the database, postgres://user:password@host:5432/name"
  ask TELEGRAM_BOT_TOKEN "Token of the Telegram bot, as @BotFather shows it"
  ask TELEGRAM_ALERT_CHAT_ID "Telegram chat that is told of failures"
  add SITE_WEBHOOK_SECRET "$(secret)"
  add TELEGRAM_WEBHOOK_SECRET "$(secret)"
  if [[ $caddy ]]; then
    add TRUSTED_PROXIES 127.0.0.1
    add DRAIN_SECONDS 3
  fi
  # For commands; each receiver has the port of its unit.
  add PORT "${ports[0]}"
  add BACKUP_DIR /var/backups/hookwork
  put 0640 root:hookwork "$settings_file" <<<"${text%$'\n'}"
}
