# Sourced by the start scripts, which run in this folder. A script starts its back
# ends in the background and becomes its front end by exec: then all of them are one
# process tree and one process group.

set -eu
umask 022 # a daemon started by root lets go of root and must still read its files

scratch=$RATEBENCH_SCRATCH
export PATH="$PATH:/usr/sbin" # where Debian keeps daemons

# await FILE… waits for what a back end makes once it listens, for 10 s at most: a
# front end that is up before its back end answers 503, and some then leave it alone
# for a while.
await() {
	for file; do
		tries=0
		until test -e "$file"; do
			tries=$((tries + 1))
			test $tries -lt 500 || { echo "$file does not appear" >&2; exit 1; }
			sleep 0.02
		done
	done
}

# fill FILE copies a configuration to the scratch folder with its places filled in,
# and prints where it is now.
fill() {
	to=$scratch/${1##*/}
	sed "s|@SCRATCH@|$scratch|g; s|@STACKS@|$PWD|g; s|@USER@|$(id -un)|g" "$1" >"$to"
	echo "$to"
}

# nginx, lighttpd and apache become that server with a configuration.
run_nginx() { exec nginx -e stderr -p "$scratch" -c "$(fill "$1")"; }
run_lighttpd() { exec lighttpd -D -f "$(fill "$1")"; }
run_apache() { exec apache2 -DFOREGROUND -d "$scratch" -f "$(fill "$1")"; }
