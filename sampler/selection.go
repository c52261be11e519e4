package sampler

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Kind is how a selection names its processes.
type Kind string

const (
	ByName    Kind = "name"    // command name, or the base name of the program (proc_pid_stat(5) comm, cmdline); of a path the base name
	ByPID     Kind = "pid"     // process number
	ByPIDFile Kind = "pidfile" // file on the watched host that holds a process number
	ByPort    Kind = "port"    // processes that listen on a TCP port
	ByUnix    Kind = "unix"    // processes that listen on a Unix socket, by its path (unix(7))
	ByCgroup  Kind = "cgroup"  // path of a cgroup below its root
	ByUnit    Kind = "unit"    // systemd unit, of whatever slice
)

// Selection names processes of a host. Those that it finds and all their
// descendants are watched together as one group. The value is never empty: a number
// of ByPID and ByPort, an absolute path of ByPIDFile, that or @NAME for an abstract
// name of ByUnix, and a path without the leading slash of ByCgroup.
type Selection struct {
	Kind  Kind
	Value string
}

// String is the selection in its shortest form: nginx, 1234, :8080, unix:PATH.
func (s Selection) String() string {
	switch s.Kind {
	case ByName:
		if parsed, err := ParseSelection(s.Value); err == nil && parsed == s {
			return s.Value
		}
	case ByPID:
		return s.Value
	case ByPort:
		return ":" + s.Value
	}
	return string(s.Kind) + ":" + s.Value
}

// ParseSelection reads NAME, PID, :PORT, or KIND:VALUE with a Kind. A name that
// looks like one of the others is written name:NAME.
func ParseSelection(text string) (Selection, error) {
	if value, ok := strings.CutPrefix(text, ":"); ok {
		return Selection{ByPort, value}.check(text)
	}
	if kind, value, ok := strings.Cut(text, ":"); ok && Kind(kind).known() {
		return Selection{Kind(kind), value}.check(text)
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		return Selection{ByPID, text}.check(text)
	}
	return Selection{ByName, text}.check(text)
}

func (k Kind) known() bool {
	switch k {
	case ByName, ByPID, ByPIDFile, ByPort, ByUnix, ByCgroup, ByUnit:
		return true
	}
	return false
}

// check brings the value into its one form. An error calls it text.
func (s Selection) check(text string) (Selection, error) {
	switch s.Kind {
	case ByPID:
		return s.number(text, "a process number", 1<<22) // (proc_sys_kernel(5), pid_max)
	case ByPort:
		return s.number(text, "a port", 1<<16-1)
	case ByPIDFile:
		if !path.IsAbs(s.Value) {
			return s, fmt.Errorf("%q: want the absolute path of a pid file", text)
		}
		s.Value = path.Clean(s.Value)
	case ByUnix:
		if abstract := len(s.Value) > 1 && s.Value[0] == '@'; !abstract && !path.IsAbs(s.Value) {
			return s, fmt.Errorf("%q: want the absolute path of a socket, or @NAME", text)
		} else if !abstract {
			s.Value = path.Clean(s.Value)
		}
	case ByCgroup:
		return s.cgroup(text)
	}
	if strings.TrimSpace(s.Value) == "" || strings.ContainsAny(s.Value, "\n\x00") {
		return s, fmt.Errorf("%q: want NAME, PID, :PORT, unix:PATH, pidfile:PATH, cgroup:PATH or unit:NAME", text)
	}
	return s, nil
}

func (s Selection) number(text, want string, most uint64) (Selection, error) {
	n, err := strconv.ParseUint(s.Value, 10, 64)
	if err != nil || n < 1 || n > most {
		return s, fmt.Errorf("%q: want %s from 1 to %d", text, want, most)
	}
	s.Value = strconv.FormatUint(n, 10)
	return s, nil
}

// cgroupRoot is where cgroups are mounted nearly everywhere (file-hierarchy(7)).
const cgroupRoot = "/sys/fs/cgroup"

// cgroup makes the path one below the root, without leading slash. The root
// itself is the whole host, for which there is no need of a selection.
func (s Selection) cgroup(text string) (Selection, error) {
	clean := path.Clean("/" + strings.TrimPrefix(s.Value, cgroupRoot))
	if clean == "/" || strings.ContainsAny(clean, "\n\x00") {
		return s, fmt.Errorf("%q: want the path of a cgroup below its root, like cgroup:system.slice/nginx.service", text)
	}
	s.Value = clean[1:]
	return s, nil
}
