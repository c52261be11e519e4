package sampler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// Processes are found over ssh by a port and by a Unix socket.
func TestOpenRemoteBySocket(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	path, _ := listenUnix(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	selections := []Selection{{ByUnix, path}, {ByPort, port(l.Addr().String())}}
	w, err := Open(t.Context(), Config{Host: s.host(), SSH: s.ssh(), Selections: selections})
	if err != nil {
		t.Fatal(err)
	}
	r := w.Stop()
	for n, g := range r.Groups {
		if g.Selection != selections[n] || !strings.Contains(g.Name, " ("+selections[n].String()+")") || r.Readings[0].Groups[n].Processes == 0 {
			t.Errorf("%+v: %+v", g, r.Readings[0].Groups[n])
		}
	}
	if len(r.Groups) != 2 || r.Lost != nil {
		t.Errorf("%d groups, lost %+v", len(r.Groups), r.Lost)
	}
}

// A host without ls cannot tell whose a port is: that is an error, or a selection
// that is left out.
func TestOpenRemoteWithoutList(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	path := linkPrograms(t, map[string]string{"sh": "/bin/dash", "cat": "/bin/cat", "sleep": "/bin/sleep"})
	c := Config{
		Host: Host{Name: "h"}, SSH: stubSSH(t, "PATH="+path+"; "+runsIt),
		Selections: []Selection{{ByPort, port(l.Addr().String())}, {ByPID, fmt.Sprint(os.Getpid())}},
	}
	_, err = Open(t.Context(), c)
	wantError(t, err, `^watching h: the host has no ls to tell who listens on port \d+: select by name$`)
	c.Optional = true
	w, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if r := w.Stop(); len(r.Groups) != 1 || r.Groups[0].Selection != c.Selections[1] || len(r.Notes) != 0 {
		t.Errorf("groups %+v, notes %q, want the process alone", r.Groups, r.Notes)
	}
	wantError(t, w.Missing(), `^watching h: the host has no ls to tell`)
}

// A host that has nothing of what may be missing says so beside its figures, and
// Missing names it unless it is this machine.
func TestOpenHostThatHasNothing(t *testing.T) {
	t.Parallel()
	for host, want := range map[Host]string{{}: `^no process named "no such process"$`, {Name: "h"}: `^watching h: no process named "no such process"$`} {
		w, err := Open(t.Context(), Config{Host: host, SSH: stubSSH(t, runsIt), Selections: []Selection{{ByName, "no such process"}}, Optional: true})
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, w.Missing(), want)
		if r := w.Stop(); len(r.Notes) != 1 || r.Notes[0] != `no process named "no such process"` {
			t.Errorf("%v: notes %q", host, r.Notes)
		}
	}
}

func TestMissingNothing(t *testing.T) {
	for _, host := range []Host{{}, {Name: "h"}} {
		w := newWatch(Config{Host: host}, nil)
		w.groups = newGroups(&w.config)
		if err := w.Missing(); err != nil {
			t.Errorf("%v: %v, want nil", host, err)
		}
	}
}

// An error names the host once, whatever part of the way it is of.
func TestOpenNamesHostOnce(t *testing.T) {
	t.Parallel()
	host := Host{User: "bench", Name: "h"}
	for script, want := range map[string]string{
		"echo 'ssh: connect to host h port 22: Connection refused' >&2; exit 255": `^watching bench@h: not reached: Connection refused$`,
		"echo 'Host key verification failed.' >&2; exit 255":                      `^watching bench@h: the host key is not known`,
		"exit 3": `^watching bench@h: ssh ended with exit status 3$`,
		"sed -u s,/proc/uptime,/none,g | { " + runsIt + "; }": `^watching bench@h: host has no /proc: CPU not sampled$`,
		runsIt: `^watching bench@h: no process named "no such process"$`,
	} {
		_, err := Open(t.Context(), Config{Host: host, SSH: stubSSH(t, script), Selections: []Selection{{ByName, "no such process"}}})
		wantError(t, err, want)
	}
}

// Of several faults each is a line that names the host.
func TestOpenNamesHostInEachFault(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Config{Host: Host{User: "bench", Name: "h"}, SSH: stubSSH(t, runsIt), Selections: []Selection{
		{ByName, "no such process"}, {ByName, "nor this"}}})
	const want = "watching bench@h: no process named \"no such process\"\nwatching bench@h: no process named \"nor this\""
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if err := ofHost(Host{}, errors.Join(ErrNoProc, nil)); !errors.Is(err, ErrNoProc) {
		t.Errorf("%v is no longer that of a host without /proc", err)
	}
}

// What is interrupted while it waits for a host ends at once, not when ssh pleases.
func TestOpenIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := Open(ctx, Config{Host: Host{Name: "h"}, SSH: stubSSH(t, "exec sleep 60")})
		ended <- err
	}()
	time.Sleep(100 * time.Millisecond) // either way it is interrupted; mostly while ssh runs
	began := time.Now()
	cancel()
	wantError(t, <-ended, `^watching h: `)
	if took := time.Since(began); took >= endPatience {
		t.Errorf("took %v", took)
	}
}
