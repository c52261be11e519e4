package sampler

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// remote is the transport from another host. We ask and the loop answers, so that
// the times of question and answer bound when the files were read, and how the
// host's clock stands to ours.
type remote struct {
	link      *link
	layout    *layout
	number    uint64 // of the last request
	separator []byte
	loop      []int32       // processes that last: the loop's shell, the watchdog, the session's sshd if it is known
	spent     time.Duration // by them
	exchanges exchanges
	told      *told   // nil if it is uncertain
	listed    []int32 // processes at the last reading
	split     bool    // the loop has more than one cat for a reading
}

// told is what the loop knows to be wanted.
type told struct {
	files         []string
	status, stats []int32 // processes
}

// pings measure the clock before there is any load that could delay them.
const pings = 5

// newRemote starts the loop over a link. The caller ends the link if it fails.
func newRemote(ctx context.Context, l *link) (*remote, error) {
	r := &remote{link: l}
	if err := r.hello(ctx); err != nil {
		return nil, err
	}
	for range pings {
		if err := r.ping(ctx); err != nil {
			return nil, err
		}
	}
	layout, err := newLayout()
	if err != nil {
		return nil, err
	}
	r.layout = layout
	return r, nil
}

// hello sends the loop and reads its first answer: its processes and the separator.
func (r *remote) hello(ctx context.Context) error {
	if err := r.link.send(ctx, remoteLoop(r.link.mark, r.link.pace.orphan)); err != nil {
		return err
	}
	a, err := r.link.await(ctx, 0)
	if err != nil {
		return err
	}
	return r.heard(a.text)
}

// heard reads the first answer: hello SHELL WATCHDOG [SSHD], then the separator's line.
func (r *remote) heard(text []byte) error {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	words := strings.Fields(string(first))
	if len(words) < 3 || len(words) > 4 || words[0] != "hello" || len(rest) < 2 {
		return fmt.Errorf("the host began with %s, which is not how the sampler does", oneLine(string(text)))
	}
	for _, w := range words[1:] {
		pid, err := strconv.ParseInt(w, 10, 32)
		if err != nil {
			return fmt.Errorf("the host runs the sampler as process %s", oneLine(w))
		}
		r.loop = append(r.loop, int32(pid))
	}
	r.separator = bytes.Clone(rest)
	return nil
}

// ask sends a request after what it is to heed, and waits for the answer. The
// exchange lacks the uptime.
func (r *remote) ask(ctx context.Context, heed, request string) (answer, exchange, error) {
	r.number++
	text := fmt.Sprintf("%s%s %d\n", heed, request, r.number)
	sent := time.Now()
	if err := r.link.send(ctx, text); err != nil {
		return answer{}, exchange{}, err
	}
	a, err := r.link.await(ctx, r.number)
	return a, exchange{sent: sent, received: a.at}, err
}

func (r *remote) ping(ctx context.Context) error {
	a, e, err := r.ask(ctx, "", "u")
	if err != nil {
		return err
	}
	return r.timed(e, a.text)
}

// timed adds an exchange to those that tell the clock.
func (r *remote) timed(e exchange, uptime []byte) error {
	word, _ := nextWord(uptime)
	d, err := parseUptime(word)
	if err != nil {
		return err
	}
	e.uptime = d
	r.exchanges.add(e)
	return nil
}

func (r *remote) fetch(ctx context.Context, want wanted) (view, error) {
	a, e, err := r.reading(ctx, want)
	if err == nil && !startsAsUptime(a.text) && !r.split {
		r.split, r.told = true, nil
		a, e, err = r.reading(ctx, want)
	}
	if err != nil {
		return view{}, err
	}
	v := view{at: e.middle(), within: e.trip() / 2}
	if err := r.lay(ctx, &v, want, e, a.text); err != nil {
		r.listed = nil // it may be in part, and tells the next reading what to ask for
		return view{}, fmt.Errorf("reading: %w", err)
	}
	v.proc, v.cgroup, v.root = r.layout.dir+"/proc", r.layout.dir+cgroupRoot, r.layout.dir
	v.boot = bootID(r.separator)
	return v, nil
}

// startsAsUptime tells an answer from that of a cat that could not start, most
// likely for too many arguments.
func startsAsUptime(text []byte) bool { return len(text) > 0 && text[0] >= '0' && text[0] <= '9' }

// reading asks for the files wanted. What the loop has been told is uncertain after
// an error, so it is told all anew.
func (r *remote) reading(ctx context.Context, want wanted) (answer, exchange, error) {
	tell := &told{want.paths(), slices.Clone(want.pids), r.stats(want)}
	heed, err := r.heed(tell)
	if err != nil {
		return answer{}, exchange{}, err
	}
	r.told = nil
	a, e, err := r.ask(ctx, heed, r.request(want))
	if err == nil {
		r.told = tell
	}
	return a, e, err
}

// stats is the processes whose stat a partial reading has: all that were there at
// the last one but those known. One that was born since then is seen in the next.
func (r *remote) stats(want wanted) []int32 {
	if !r.partial(want) {
		return nil
	}
	stats := slices.Clone(r.loop)
	for _, pid := range r.listed {
		if _, known := want.known[pid]; !known && !slices.Contains(r.loop, pid) {
			stats = append(stats, pid)
		}
	}
	return stats
}

// partial says whether only some processes are read.
func (r *remote) partial(want wanted) bool {
	return len(want.known) > 0 && len(r.listed) > 0 && !want.find && !want.sockets && !r.split
}

func (r *remote) request(want wanted) string {
	switch {
	case want.sockets:
		return "l"
	case want.find:
		return "e"
	case r.partial(want):
		return "s"
	}
	return "r"
}

// heed is what to tell the loop for it to know what is wanted: nothing, mostly.
func (r *remote) heed(tell *told) (string, error) {
	var b strings.Builder
	if r.split && r.told == nil {
		b.WriteString("k\n")
	}
	if r.told == nil || !slices.Equal(tell.files, r.told.files) {
		b.WriteString("n\n")
		for _, f := range tell.files {
			if f != strings.TrimSpace(f) || strings.ContainsAny(f, "\n\x00") {
				return "", fmt.Errorf("the host cannot be asked for %q: the name has a blank at an end or a line's end in it", f)
			}
			b.WriteString("f " + f + "\n")
		}
	}
	if r.told == nil || !slices.Equal(tell.status, r.told.status) {
		writeList(&b, "p", tell.status)
	}
	if len(tell.stats) > 0 && (r.told == nil || !slices.Equal(tell.stats, r.told.stats)) {
		writeList(&b, "q", tell.stats)
	}
	return b.String(), nil
}

func writeList(b *strings.Builder, request string, pids []int32) {
	b.WriteString(request)
	for _, pid := range pids {
		b.WriteString(" " + strconv.Itoa(int(pid)))
	}
	b.WriteString("\n")
}

// paths are the files beyond those of processes, by absolute path.
func (w wanted) paths() []string {
	paths := make([]string, 0, len(w.cgroups)+len(w.files))
	for _, c := range w.cgroups {
		paths = append(paths, cgroupRoot+"/"+c)
	}
	return append(paths, w.files...)
}

// cost is the CPU time of the loop's shell and watchdog, of the children that they
// have waited for, and of the sshd that serves them, in which other sessions of a
// shared connection (ssh_config(5), ControlMaster) would be counted too.
func (r *remote) cost() time.Duration { return r.spent }

func (r *remote) clock() Clock { return r.exchanges.clock() }

// close ends the loop and ssh, and removes the files.
func (r *remote) close(ctx context.Context) error {
	r.link.end(ctx)
	return r.layout.close()
}
