package sampler

import (
	"fmt"
	"strings"
	"time"
)

// The host's end is a loop in its shell that answers lines. It needs a POSIX sh
// with the usual builtins, cat and sleep; ls too where sockets are asked for. It is
// sent as input to the command below, so that no login shell (csh, fish) has to
// quote or expand it and no limit to a word's length counts; the builtin read takes
// single bytes, so that it leaves the rest of the input alone.
//
// The mark makes its lines, and its command line among the host's, unmistakable.
// exec leaves no login shell waiting.
func remoteCommand(mark string) string {
	return `exec sh -c 'read -r s; eval "$s"' ` + mark
}

// remoteLoop is the line that chooses the shell and the loop as one more. Silence of
// 3 to 5 times orphan ends it.
func remoteLoop(mark string, orphan time.Duration) string {
	lines := strings.Split(strings.TrimSpace(loopStart+loopBash+loopWatchdog+loopAnswers), "\n")
	return fmt.Sprintf("%sM=%s; I=%g; J=%g; %s\n", loopShell, mark, 2*orphan.Seconds(), orphan.Seconds(), strings.Join(lines, " "))
}

// Where there is a bash, it runs the loop, for it can read a file and wait without
// a program: to start one is most of what a reading costs a host.
const loopShell = `command -v bash >/dev/null && exec bash -c 'read -r s; eval "$s"' $0; read -r s; eval "$s"` + "\n"

// What only bash understands is kept from other shells as a text. A pipe that nobody
// writes to is what it waits at; sleep still does where there is no /dev/fd. A bash
// older than 4.4 has no mapfile -d, and its readings are cat's.
//
// A reading goes out in few pieces, for each wakes sshd up and may be a packet. Bash
// writes at every line's end, but for what fills the C library's buffer of 4096 bytes
// or is more than that. Blanks behind the list make the length a multiple of it.
const loopBash = `
nap() { sleep $1; };
some() { cat $F "$@" $Q $S $P $S; list; echo "$L"; echo "$M $a"; };
[ "$BASH_VERSION" ] && eval 'LC_ALL=C; exec 9<> <(:) && nap() { read -r -t $1 -u 9 x; }' 2>/dev/null;
[ "$BASH_VERSION" ] && mapfile -d "" B <$S 2>/dev/null && eval 'printf -v E "\n";
some() { A=; for f in $F "$@" $Q $S $P $S; do
case $f in "$S") A+=$B;; *) x=; mapfile -d "" x <"$f"; A+=$x;; esac; done;
list; A+=$L; y=$E$M" "$a$E; printf -v x %$((4095-(${#A}+${#y}-1)%4096))s; echo -n "$A$x$y"; }';
`

// Nothing begins before the host is known to have what the loop needs. S is a file
// of one line that no other file holds by chance: in the output of one cat it
// separates files. It is a number drawn when the host started (random(4)), or at
// least the long name of the kernel. Cat gives no names, so the order does.
const loopStart = `
read -r x 2>/dev/null </proc/uptime || { echo; echo "$M no /proc"; exit; };
for x in cat sleep; do command -v $x >/dev/null || { echo; echo "$M no $x"; exit; }; done;
S=/proc/sys/kernel/random/boot_id; read -r x 2>/dev/null <$S || S=/proc/version;
`

// The watchdog ends the loop of a client that neither speaks nor closes: it was
// stopped, the network was cut, or sshd hangs. A signal from the loop says that a
// line came. Most shells see to signals only when their sleep is over, so silence of 3 to
// 5 s ends it, for one sleep of I is 2 s and one of J 1 s; silence of a second and a
// half never does.
//
// USR1 is ignored until there is a trap, or an early one would end the watchdog. The
// loop may hang in a child that cannot write: it is stopped first, so that it starts
// no other while its children are looked for, and it is left alone if it is gone, as
// its number may be another's. The watchdog holds none of the session's files open,
// or the session would last as long as its sleep.
//
// The watchdog's birth shows whether the last number of /proc/loadavg is that of the
// last process or thread that was born (proc_loadavg(5)), as it is not on every
// imitation of Linux.
const loopWatchdog = `
trap "" USR1; read -r x x x x T </proc/loadavg;
( trap a=0 USR1; a=0;
while [ $a -lt 2 ]; do a=$((a+1)); case $a in 1) nap $I;; *) nap $J;; esac; done;
read -r me c s q r </proc/self/stat; [ "$q" = $$ ] || exit;
kill -STOP $$;
for f in /proc/[0-9]*/stat; do read -r p c s q r <$f;
[ "$q" = $$ ] && [ "$p" != "$me" ] && kill -9 $p; done;
kill -9 $$ ) </dev/null >/dev/null 2>&1 &
W=$!; trap "kill $W" EXIT;
read -r x x x x n </proc/loadavg; [ "$n" = "$T" ] && T=;
`

// One cat is all that an ordinary reading forks, and in bash it forks nothing. Making
// every process's stat is most of what a reading costs the host, so that most readings
// have that of some, and the list of all only where a process was born since the last
// one. K is set where its arguments would be too many for the
// kernel (execve(2), E2BIG): then there is one cat for each leading digit. What
// processes are found by is read in cats for 50 of them, and the watchdog hears of
// each: a slow host is not a hanging one.
//
// The lines are:
//
//	n          want no files, and the list of all next time
//	f PATH     want this file too
//	p PID...   want the status of these processes, and no others
//	q PID...   want the stat of these processes where not that of all is wanted
//	k          split the arguments
//	b          nothing; it shows that we are there
//	u NUMBER   answer with the uptime
//	r NUMBER   answer with a reading
//	s NUMBER   answer with a reading in which only some have their stat, and a list of all if it is news
//	e NUMBER   answer with a reading and what processes are found by
//	l NUMBER   answer with that and the open files
const loopAnswers = `
F="/proc/uptime $S /proc/stat $S /proc/net/netstat $S /proc/net/sockstat $S /proc/net/dev $S";
G="/proc/net/tcp $S /proc/net/tcp6 $S /proc/net/unix $S /proc/self/mountinfo $S /proc/sys/kernel/osrelease $S";
K=; P=; Q=; N=; set --;
reading() { if [ "$K" ]; then cat $F "$@";
for d in 1 2 3 4 5 6 7 8 9; do alive; cat /proc/$d*/stat; done; cat $S $P $S;
else cat $F "$@" /proc/[0-9]*/stat $S $P $S; fi; };
list() { L=; n=; [ "$T" ] && read -r x x x x n </proc/loadavg;
[ "$n" ] && [ "$n" = "$N" ] || { N=$n; set -- /proc/[0-9]*; L="$*"; }; };
alive() { kill -USR1 $W || exit; };
found() { n=0; L=; for i in /proc/[0-9]*; do L="$L $i/status $S $i/cmdline $S $i/cgroup $S"; n=$((n+1));
if [ $n = 50 ]; then alive; cat $L; n=0; L=; fi; done; cat /dev/null $L; };
opened() { n=0; L=; for i in /proc/[0-9]*; do L="$L $i/fd"; n=$((n+1));
if [ $n = 50 ]; then alive; ls -ln $L; n=0; L=; fi; done; ls -ln $L /proc/$$/fd /proc/$$/fd; cat $S; };
y=; read -r x c q </proc/$PPID/stat; case $c in "(sshd"*|"(dropbear"*) y=$PPID;; esac 2>/dev/null;
echo; echo "$M hello $$ $W $y"; cat $S; echo "$M 0";
while read -r o a; do alive;
case $o in
n) set --; N=;;
f) set -- "$@" "$a" $S;;
p) P=; for i in $a; do P="$P /proc/$i/status"; done;;
q) Q=; for i in $a; do Q="$Q /proc/$i/stat"; done;;
k) K=1;;
u) read -r x y </proc/uptime; echo $x; echo "$M $a";;
r) reading "$@"; echo "$M $a";;
s) some "$@";;
e) reading "$@"; cat $G; found; echo "$M $a";;
l) reading "$@"; cat $G; opened; found; echo "$M $a";;
esac; done 2>/dev/null
`
