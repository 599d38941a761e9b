#!/usr/bin/env bash
# Boots systemd in a tree of Debian, as a container of its own: boot.sh <tree> <name>. Needs root, and ends when it does.
set -euo pipefail

tree=$1 name=$2

# A control group of its own in each hierarchy: systemd makes its groups in all of them, also in those it has to mount itself.
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/*; do
  [[ -e $hierarchy/cgroup.procs ]] || continue
  mkdir -p "$hierarchy/$name"
  for needed in cpuset.cpus cpuset.mems; do
    [[ ! -e $hierarchy/$needed ]] || cat "$hierarchy/$needed" >"$hierarchy/$name/$needed"
  done
  echo $$ >"$hierarchy/$name/cgroup.procs"
done

# shellcheck disable=SC2016 # it is the inner shell that has this tree as its root
exec unshare --cgroup --pid --fork --kill-child=SIGKILL --mount --uts --ipc --net --propagation private bash -ec '
tree=$1
mount --bind "$tree" "$tree"
cd "$tree"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
if [[ -e /sys/fs/cgroup/cgroup.controllers ]]; then
  mount -t cgroup2 cgroup2 sys/fs/cgroup
else
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  mkdir sys/fs/cgroup/{unified,systemd,memory,pids,cpu}
  mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
  for controller in memory pids cpu; do
    mount -t cgroup -o $controller cgroup sys/fs/cgroup/$controller
  done
fi
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  touch dev/$device
  mount --bind /dev/$device dev/$device
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs tmpfs tmp
pivot_root . mnt
umount -l /mnt
exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --show-status=no
' _ "$tree"
