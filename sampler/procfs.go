package sampler

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
)

// procStat is what /proc/PID/stat says of one (proc_pid_stat(5)). Times are in ticks.
type procStat struct {
	pid, parent    int32
	start          uint64 // after boot, in ticks; with pid it names the process for good
	state          byte
	kernel         bool     // a thread of the kernel
	comm           [16]byte // name, padded with zeros
	own, children  ticks    // of its threads, also ended ones; of the children that it waited for
	threads, pages uint64
}

// ticks is CPU time in units of the host's tick.
type ticks struct{ user, system int64 }

func (t ticks) sum() int64         { return t.user + t.system }
func (t ticks) plus(u ticks) ticks { return ticks{t.user + u.user, t.system + u.system} }
func (t ticks) less(u ticks) ticks { return ticks{t.user - u.user, t.system - u.system} }

// id is a process, whoever has its number later.
type id struct {
	pid   int32
	start uint64
}

func (p *procStat) id() id { return id{p.pid, p.start} }

func (p *procStat) total() ticks { return p.own.plus(p.children) }

// over says that p has ended and only waits for its parent to ask for its status.
// Its times still count, since the parent's do not hold them yet. A first thread
// that ended before the others looks the same but for their number.
func (p *procStat) over() bool { return (p.state == 'Z' || p.state == 'X') && p.threads <= 1 }

func (p *procStat) name() []byte {
	if n := bytes.IndexByte(p.comm[:], 0); n >= 0 {
		return p.comm[:n]
	}
	return p.comm[:]
}

// flagKernel is PF_KTHREAD of the kernel's include/linux/sched.h.
const flagKernel = 0x00200000

// parseStat reads /proc/PID/stat. The name may hold blanks, parentheses and line
// ends, so the fields are counted from the last parenthesis.
func parseStat(text []byte) (procStat, bool) {
	var p procStat
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open || end+2 >= len(text) {
		return p, false
	}
	pid, ok := parseInt(bytes.TrimSpace(text[:open]))
	if !ok {
		return p, false
	}
	p.pid = int32(pid)
	copy(p.comm[:], text[open+1:end])
	rest := text[end+2:]
	p.state = rest[0]
	return p, p.fields(rest)
}

// fields reads the stat file from its third field on.
func (p *procStat) fields(rest []byte) bool {
	var v [25]int64
	for n := 3; n < len(v); n++ {
		var word []byte
		word, rest = nextWord(rest)
		if len(word) == 0 {
			return false
		}
		if n > 3 {
			v[n], _ = parseInt(word) // vsize may be too large; it is not used
		}
	}
	p.parent, p.kernel = int32(v[4]), v[9]&flagKernel != 0
	p.own, p.children = ticks{v[14], v[15]}, ticks{v[16], v[17]}
	p.threads, p.start, p.pages = uint64(v[20]), uint64(v[22]), uint64(v[24])
	return true
}

// nextWord cuts the first word off.
func nextWord(text []byte) (word, rest []byte) {
	start := 0
	for start < len(text) && text[start] <= ' ' {
		start++
	}
	end := start
	for end < len(text) && text[end] > ' ' {
		end++
	}
	return text[start:end], text[end:]
}

// parseInt is strconv.ParseInt for bytes, without garbage.
func parseInt(text []byte) (int64, bool) {
	digits, negative := bytes.CutPrefix(text, []byte("-"))
	n, ok := parseUint(digits)
	if !ok || n > 1<<63-1 {
		return 0, false
	}
	if negative {
		return -int64(n), true
	}
	return int64(n), true
}

func parseUint(text []byte) (uint64, bool) {
	var n uint64
	for _, c := range text {
		digit := uint64(c - '0')
		if digit > 9 || n > (1<<64-1-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, len(text) > 0
}

// status is what is used of /proc/PID/status (proc_pid_status(5)).
type status struct {
	rss      uint64 // bytes
	switches uint64 // of the first thread, voluntary or not
	deserts  bool   // it ignores SIGCHLD, so that its children's times go nowhere (wait(2), Notes)
}

// childSignal is SIGCHLD of every architecture of Linux in use but Alpha, MIPS and
// SPARC (signal(7)).
const childSignal = 17

func parseStatus(text []byte) status {
	var s status
	kilobytes, _ := nextWord(lineAfter(text, "VmRSS:"))
	s.rss, _ = parseUint(kilobytes)
	s.rss *= 1024
	for _, key := range []string{"voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"} {
		n, _ := parseUint(bytes.TrimSpace(lineAfter(text, key)))
		s.switches += n
	}
	ignored, _ := strconv.ParseUint(string(bytes.TrimSpace(lineAfter(text, "SigIgn:"))), 16, 64)
	s.deserts = ignored&(1<<(childSignal-1)) != 0
	return s
}

// lineAfter is the rest of the line that begins with key, nil if there is none.
func lineAfter(text []byte, key string) []byte {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if len(line) >= len(key) && string(line[:len(key)]) == key {
			return line[len(key):]
		}
		text = rest
	}
	return nil
}

// parseCPUs reads a list like 0-2,5 (cpuset(7), list format). Of a list that
// cannot be read it returns none.
func parseCPUs(text []byte) []int {
	const most = 1 << 14 // cores; a longer list is a broken one
	var cpus []int
	for part := range bytes.SplitSeq(bytes.TrimSpace(text), []byte(",")) {
		from, to, isRange := bytes.Cut(part, []byte("-"))
		first, ok := parseUint(from)
		last := first
		if isRange && ok {
			last, ok = parseUint(to)
		}
		if !ok || last < first || last >= most || len(cpus) > most {
			return nil
		}
		for n := first; n <= last; n++ {
			cpus = append(cpus, int(n))
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}

// files reads the small files of a view, all into one buffer.
type files struct {
	buffer []byte
}

// mostRead bounds a file: the lists of sockets of a busy host may be long.
const mostRead = 64 << 20

// read is the file's content, valid until the next read. Files of /proc say that
// they are empty, so it reads to the end. It makes the system calls itself: an
// os.File would try to have each of these files polled, which doubles the cost.
func (f *files) read(name string) ([]byte, error) { return f.slurp(name, false) }

// slurp is read. Once says that the file is of one piece, as those of a process are,
// which a single read brings whole.
func (f *files) slurp(name string, once bool) ([]byte, error) {
	file, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0) // a pipe must not hold us up
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer syscall.Close(file)
	if f.buffer == nil {
		f.buffer = make([]byte, 8192)
	}
	for n := 0; ; {
		m, err := syscall.Read(file, f.buffer[n:])
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return nil, &os.PathError{Op: "read", Path: name, Err: err}
		}
		n += m
		if m == 0 || once && n < len(f.buffer) {
			return f.buffer[:n], nil
		}
		if n == len(f.buffer) {
			if n >= mostRead {
				return nil, fmt.Errorf("%s holds more than %d MiB", name, mostRead>>20)
			}
			f.buffer = append(f.buffer, make([]byte, n)...)
		}
	}
}

// pidText is the number of a process as its directory is named.
func pidText(pid int32) string { return strconv.Itoa(int(pid)) }
