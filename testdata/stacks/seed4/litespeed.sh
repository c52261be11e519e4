# Sourced by start.sh: LiteSpeed, which daemonizes and keeps its configuration where it
# is installed. Its owner gives it a listener at 127.0.0.1:18404 whose / is an external
# LSAPI application, seed4/lsapi.rb, with ten instances.
control=/usr/local/lsws/bin/lswsctrl
trap '"$control" stop >&2; exit 0' TERM INT HUP
"$control" start >&2
while :; do
	sleep 1 &
	wait $!
done
