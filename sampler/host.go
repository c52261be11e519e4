package sampler

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/shirou/gopsutil/v3/common"
	"github.com/shirou/gopsutil/v3/cpu"
)

// usualTick is that of every architecture of Linux in use but Alpha and Itanium
// (USER_HZ of the kernel's asm/param.h).
const usualTick = 10 * time.Millisecond

// hostInfo reads what does not change on a host.
func (f *files) hostInfo(proc string) (HostInfo, error) {
	info := HostInfo{Tick: f.tick(proc)}
	release, _ := f.read(proc + "/sys/kernel/osrelease")
	info.Kernel = string(bytes.TrimSpace(release))
	stat, err := f.read(proc + "/stat")
	if err != nil {
		return info, fmt.Errorf("%w (%v)", ErrNoProc, err)
	}
	for line := range bytes.Lines(stat) {
		if len(line) > 3 && string(line[:3]) == "cpu" && line[3] != ' ' {
			info.Cores++
		}
	}
	if info.Cores == 0 {
		return info, fmt.Errorf("%s/stat lists no core", proc)
	}
	return info, nil
}

// tick is the unit of process times: what the kernel told this program at its
// start (getauxval(3), AT_CLKTCK), if that lies in proc, else the usual one.
func (f *files) tick(proc string) time.Duration {
	const clockTicks = 17
	const word = int(unsafe.Sizeof(uintptr(0)))
	text, _ := f.read(proc + "/self/auxv")
	for ; len(text) >= 2*word; text = text[2*word:] {
		if hz := nativeWord(text[word:]); nativeWord(text) == clockTicks && hz > 0 && hz <= 1e6 {
			return time.Second / time.Duration(hz)
		}
	}
	return usualTick
}

func nativeWord(b []byte) uint64 {
	if unsafe.Sizeof(uintptr(0)) == 4 {
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}

// uptime reads the host's clock: seconds since it started, with suspensions
// (proc_uptime(5)).
func (f *files) uptime(proc string) (time.Duration, error) {
	text, err := f.read(proc + "/uptime")
	if err != nil {
		return 0, err
	}
	word, _ := nextWord(text)
	return parseUptime(word)
}

// parseUptime reads the first word of /proc/uptime.
func parseUptime(word []byte) (time.Duration, error) {
	whole, part, _ := bytes.Cut(word, []byte("."))
	seconds, ok1 := parseUint(whole)
	hundredths, ok2 := parseUint(part)
	if !ok1 || !ok2 || len(part) != 2 || seconds > 1<<32 {
		return 0, fmt.Errorf("uptime of %s: want seconds and hundredths", oneLine(string(word)))
	}
	return time.Duration(seconds)*time.Second + time.Duration(hundredths)*10*time.Millisecond, nil
}

// hostCounters reads the whole host's. Only /proc/stat has to be there: a
// container or an old kernel may lack the others, and their counters are unknown.
func (f *files) hostCounters(proc string) (HostCounters, error) {
	var c HostCounters
	text, err := f.read(proc + "/stat")
	if err != nil {
		return c, err
	}
	if err := c.times(proc); err != nil {
		return c, err
	}
	c.Forks, _ = keyed(text, "processes")
	c.Switches, _ = keyed(text, "ctxt")
	text, _ = f.read(proc + "/net/netstat")
	var known, both bool
	c.ListenOverflows, known = column(text, "TcpExt:", "ListenOverflows")
	c.ListenDrops, both = column(text, "TcpExt:", "ListenDrops")
	c.ListenUnknown = !known || !both
	text, _ = f.read(proc + "/net/sockstat")
	c.TimeWait, known = valueAfter(lineAfter(text, "TCP:"), "tw")
	c.TimeWaitUnknown = !known
	text, err = f.read(proc + "/net/dev")
	c.Received, c.Sent = interfaces(text)
	c.BytesUnknown = err != nil
	return c, nil
}

// times reads the times of all cores through gopsutil, from proc. A guest's time is
// in user and nice already, and waiting for I/O is idleness (proc_stat(5)).
func (c *HostCounters) times(proc string) error {
	ctx := context.WithValue(context.Background(), common.EnvKey, common.EnvMap{common.HostProcEnvKey: proc})
	all, err := cpu.TimesWithContext(ctx, false)
	if err != nil || len(all) != 1 {
		return fmt.Errorf("%s/stat does not begin with the times of all cores (%v)", proc, err)
	}
	t := all[0]
	for _, s := range []float64{t.User, t.Nice, t.System, t.Irq, t.Softirq, t.Steal} {
		if !(s >= 0 && s < mostSeconds) { // ParseFloat, which gopsutil uses, takes nan and inf
			return fmt.Errorf("%s/stat has a CPU time of %g s", proc, s)
		}
	}
	c.Busy = seconds(t.User + t.Nice + t.System + t.Irq + t.Softirq)
	c.Steal, c.Interrupts = seconds(t.Steal), seconds(t.Irq+t.Softirq)
	return nil
}

// mostSeconds of CPU time are a century of a thousand cores.
const mostSeconds = 1000 * 100 * 365.25 * 24 * 3600

// seconds is s to the microsecond; ticks are whole hundredths or thousandths.
func seconds(s float64) time.Duration {
	return time.Duration(math.Round(s*1e6)) * time.Microsecond
}

// column is a number of /proc/net/netstat, where a line of names is followed by
// one of numbers, both beginning with the same key; false if it is not there.
func column(text []byte, key, name string) (uint64, bool) {
	names := lineAfter(text, key)
	if names == nil {
		return 0, false
	}
	numbers := lineAfter(text[bytes.Index(text, names)+len(names):], key)
	for len(names) > 0 {
		var word, number []byte
		word, names = nextWord(names)
		number, numbers = nextWord(numbers)
		if string(word) == name {
			return parseUint(number)
		}
	}
	return 0, false
}

// valueAfter is the number that follows the word key in a line; false if none does.
func valueAfter(line []byte, key string) (uint64, bool) {
	for len(line) > 0 {
		var word []byte
		word, line = nextWord(line)
		if string(word) == key {
			word, _ = nextWord(line)
			return parseUint(word)
		}
	}
	return 0, false
}

// interfaces adds up the bytes of /proc/net/dev over all but loopback.
func interfaces(text []byte) (received, sent uint64) {
	for line := range bytes.Lines(text) {
		name, numbers, ok := bytes.Cut(line, []byte(":"))
		if !ok || string(bytes.TrimSpace(name)) == "lo" {
			continue
		}
		for n := range 9 {
			var word []byte
			word, numbers = nextWord(numbers)
			switch count, _ := parseUint(word); n {
			case 0:
				received += count
			case 8:
				sent += count
			}
		}
	}
	return received, sent
}
