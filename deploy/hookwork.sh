#!/bin/sh
# The command `hookwork` of a server: the one of the release in use. For root it runs as the user of the services: so it finds
# what they would find, and leaves no file of root's where they have to write.
program=/opt/hookwork/current/hookwork
if [ "$(id -u)" = 0 ]; then
  exec runuser -u hookwork -- "$program" "$@"
fi
exec "$program" "$@"
