package sampler

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readingFiles and findingFiles come in this order, as the loop has them.
var (
	readingFiles = []string{"/proc/uptime", "/proc/stat", "/proc/net/netstat", "/proc/net/sockstat", "/proc/net/dev"}
	findingFiles = []string{"/proc/net/tcp", "/proc/net/tcp6", "/proc/net/unix", "/proc/self/mountinfo", "/proc/sys/kernel/osrelease"}
)

// mostProcesses bounds the room that a host's files take here: a page for each of
// four of a process, which makes 160 MB.
const mostProcesses = 10_000

// tooMany is an error if a host has more.
func tooMany(processes int) error {
	if processes > mostProcesses {
		return fmt.Errorf("the host has more than %d processes, which is the most that are sampled from elsewhere", mostProcesses)
	}
	return nil
}

// lay lays the files of an answer out and completes v with the owners of sockets.
// The exchange is the answer's. It ends with ctx.
func (r *remote) lay(ctx context.Context, v *view, want wanted, e exchange, text []byte) error {
	s := &sections{text, r.separator}
	r.layout.begin()
	if err := r.timed(e, text[:min(len(text), 40)]); err != nil {
		return err
	}
	if err := r.layFiles(s, append(slices.Clone(readingFiles), want.paths()...)); err != nil {
		return err
	}
	if err := r.layProcesses(ctx, s); err != nil {
		return err
	}
	if r.partial(want) {
		if err := r.keepKnown(want.known, s.text); err != nil {
			return err
		}
	}
	if want.find || want.sockets {
		if err := r.layFiles(s, findingFiles); err != nil {
			return err
		}
		if want.sockets {
			if err := readOwners(v, s); err != nil {
				return err
			}
		}
		if err := r.layFound(ctx, s); err != nil {
			return err
		}
	}
	return r.layout.end(ctx)
}

func (r *remote) layFiles(s *sections, names []string) error {
	for _, name := range names {
		text, err := s.next()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := r.layout.put(name, text); err != nil {
			return err
		}
	}
	return nil
}

// layProcesses lays stat of all processes and status of those wanted.
func (r *remote) layProcesses(ctx context.Context, s *sections) error {
	all, err := s.next()
	if err != nil {
		return err
	}
	some, err := s.next()
	if err != nil {
		return err
	}
	spent := time.Duration(0)
	r.listed = r.listed[:0]
	for pid, text := range stats(all) {
		r.listed = append(r.listed, pid)
		if slices.Contains(r.loop, pid) {
			spent += spentBy(text)
		}
		if err := cmp.Or(ctx.Err(), tooMany(len(r.listed))); err != nil {
			return err
		}
		if err := r.layout.put(processFile(pid, "stat"), text); err != nil {
			return err
		}
	}
	r.spent = max(r.spent, spent)
	for pid, text := range statuses(some) {
		if err := r.layout.put(processFile(pid, "status"), text); err != nil {
			return err
		}
	}
	return nil
}

// keepKnown leaves the files of known processes as they were laid before, if these
// are in the list of all processes, which has them as /proc/1 /proc/10. Without a
// list no process was born, and one that ended meanwhile is nobody's: it stays.
func (r *remote) keepKnown(known snapshot, list []byte) error {
	if len(bytes.TrimSpace(list)) == 0 {
		for pid := range known {
			r.listed = append(r.listed, pid)
			r.layout.keep(processFile(pid, "stat"))
		}
		return tooMany(len(r.listed))
	}
	r.listed = r.listed[:0]
	for word := range bytes.FieldsSeq(list) {
		pid, err := strconv.ParseInt(strings.TrimPrefix(string(word), "/proc/"), 10, 32)
		if err != nil || pid < 1 {
			continue
		}
		r.listed = append(r.listed, int32(pid))
		if _, ok := known[int32(pid)]; ok {
			r.layout.keep(processFile(int32(pid), "stat"))
		}
	}
	return tooMany(len(r.listed))
}

// layFound lays what the processes are found by: status, cmdline and cgroup of each.
// One that has ended has nothing in the first.
func (r *remote) layFound(ctx context.Context, s *sections) error {
	for len(s.text) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		var files [3][]byte
		for i := range files {
			text, err := s.next()
			if err != nil {
				return err
			}
			files[i] = text
		}
		pid := statusPID(files[0])
		if pid == 0 {
			continue
		}
		for i, name := range []string{"status", "cmdline", "cgroup"} {
			if err := r.layout.put(processFile(pid, name), files[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readOwners reads who has which sockets open. The loop's own files are among those
// listed, so that nothing at all is a host without ls, which cannot tell.
func readOwners(v *view, s *sections) error {
	listed, err := s.next()
	if len(listed) > 0 {
		v.owners = owners(listed)
	}
	return err
}

func processFile(pid int32, name string) string {
	return "/proc/" + strconv.Itoa(int(pid)) + "/" + name
}

// spentBy is the CPU time in a stat file, that of children waited for included:
// fields 14 to 17 of proc_pid_stat(5), in ticks of 10 ms on all but a few hosts.
func spentBy(stat []byte) time.Duration {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	ticks := int64(0)
	for _, f := range fields[11:15] {
		n, _ := strconv.ParseInt(string(f), 10, 64) // isStatTail has seen that it is a number
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
